"""Parameters that tell where a reader came from. A name is here only with a reason.

Names are compared without case. A name that somewhere names a document is not here: it stands in
the site table, bound to a host and a path, or it is limited to a shape of value.
"""

from __future__ import annotations

from gemsearch.core.canonical_tables.shapes import Tracker

# Shapes: "site" is a host name or a known network, "word" is anything but a number, "dotted" has
# a dot, "google" looks like the ends of Google's redirect links.
TRACKERS: tuple[Tracker, ...] = (
    # Google Ads and Analytics
    Tracker("gclid", "Google Ads click"),
    Tracker("dclid", "Google Display click"),
    Tracker("gbraid", "Google Ads click from an app"),
    Tracker("wbraid", "Google Ads click to an app"),
    Tracker("gclsrc", "which Google Ads product the click came from"),
    Tracker("gad_source", "Google Ads auto-tagging"),
    Tracker("gad_campaignid", "Google Ads auto-tagging"),
    Tracker("srsltid", "Google Merchant Center auto-tagging of results"),
    Tracker("_ga", "Google Analytics cross-domain linker"),
    Tracker("_gl", "Google Analytics linker"),
    Tracker("_gac", "Google Analytics linker"),
    Tracker("usg", "signature of Google's redirect", "google"),
    Tracker("ved", "position in Google's results", "google"),
    # other advertisers
    Tracker("fbclid", "Facebook click"),
    Tracker("fb_action_ids", "Facebook Open Graph action"),
    Tracker("fb_action_types", "Facebook Open Graph action"),
    Tracker("fb_ref", "Facebook plugin that was clicked"),
    Tracker("fb_source", "Facebook surface that was clicked"),
    Tracker("msclkid", "Microsoft Advertising click"),
    Tracker("ttclid", "TikTok click"),
    Tracker("twclid", "X click"),
    Tracker("li_fat_id", "LinkedIn click"),
    Tracker("yclid", "Yandex Direct click"),
    Tracker("ysclid", "Yandex search click"),
    Tracker("_openstat", "Openstat campaign, appended by Yandex"),
    Tracker("rdt_cid", "Reddit click"),
    Tracker("sccid", "Snapchat click"),
    Tracker("epik", "Pinterest click"),
    Tracker("dicbo", "Outbrain click"),
    Tracker("tblci", "Taboola click"),
    Tracker("irclickid", "Impact click"),
    Tracker("irgwc", "Impact click"),
    Tracker("s_kwcid", "Adobe Advertising keyword"),
    Tracker("s_cid", "Adobe Analytics campaign"),
    Tracker("ef_id", "Adobe Advertising click"),
    Tracker("wickedid", "Wicked Reports click"),
    Tracker("rb_clickid", "RedTrack click"),
    # sharing
    Tracker("igsh", "who shared an Instagram link"),
    Tracker("igshid", "who shared an Instagram link"),
    Tracker("mibextid", "Facebook app that opened the link"),
    Tracker("__twitter_impression", "set by Twitter's app"),
    Tracker("_branch_match_id", "Branch deep link"),
    Tracker("_branch_referrer", "Branch deep link"),
    # newsletters and marketing mail
    Tracker("mc_cid", "Mailchimp campaign"),
    Tracker("mc_eid", "Mailchimp reader"),
    Tracker("ml_subscriber", "MailerLite reader"),
    Tracker("ml_subscriber_hash", "MailerLite reader"),
    Tracker("ck_subscriber_id", "Kit (ConvertKit) reader"),
    Tracker("mkt_tok", "Marketo mail"),
    Tracker("vero_id", "Vero reader"),
    Tracker("vero_conv", "Vero conversion"),
    Tracker("_hsenc", "HubSpot mail"),
    Tracker("_hsmi", "HubSpot mail"),
    Tracker("__hstc", "HubSpot visitor"),
    Tracker("__hssc", "HubSpot session"),
    Tracker("__hsfp", "HubSpot browser"),
    Tracker("hsctatracking", "HubSpot button"),
    Tracker("_ke", "Klaviyo reader"),
    Tracker("_kx", "Klaviyo reader"),
    Tracker("dm_i", "Dotdigital mail"),
    Tracker("oly_enc_id", "Omeda reader"),
    Tracker("oly_anon_id", "Omeda reader"),
    Tracker("elqtrackid", "Eloqua mail"),
    Tracker("elqtrack", "Eloqua mail"),
    Tracker("elqaid", "Eloqua asset that was clicked"),
    Tracker("elqat", "Eloqua kind of asset that was clicked"),
    Tracker("bsft_clkid", "Blueshift click"),
    Tracker("bsft_uid", "Blueshift reader"),
    Tracker("triedredirect", "Substack's sign-in bounce"),
    Tracker("echobox", "Echobox, posts of newsrooms; usually in the fragment"),
    # audience measurement
    Tracker("xtor", "AT Internet campaign"),
    Tracker("at_medium", "AT Internet campaign"),
    Tracker("at_campaign", "AT Internet campaign"),
    Tracker("at_format", "AT Internet campaign"),
    Tracker("ns_source", "Comscore campaign"),
    Tracker("ns_mchannel", "Comscore campaign"),
    Tracker("ns_campaign", "Comscore campaign"),
    Tracker("ns_linkname", "Comscore campaign"),
    Tracker("wt_zmc", "Mapp (Webtrekk) campaign"),
    Tracker("cm_mmc", "IBM Digital Analytics campaign"),
    Tracker("guccounter", "Yahoo's consent bounce"),
    Tracker("guce_referrer", "Yahoo's consent bounce"),
    Tracker("guce_referrer_sig", "Yahoo's consent bounce"),
    # signed links: the signature opens the object, the path names it
    Tracker("x-amz-algorithm", "signature of an AWS link"),
    Tracker("x-amz-credential", "signature of an AWS link"),
    Tracker("x-amz-date", "signature of an AWS link"),
    Tracker("x-amz-expires", "signature of an AWS link"),
    Tracker("x-amz-security-token", "signature of an AWS link"),
    Tracker("x-amz-signature", "signature of an AWS link"),
    Tracker("x-amz-signedheaders", "signature of an AWS link"),
    Tracker("x-goog-algorithm", "signature of a Google Cloud link"),
    Tracker("x-goog-credential", "signature of a Google Cloud link"),
    Tracker("x-goog-date", "signature of a Google Cloud link"),
    Tracker("x-goog-expires", "signature of a Google Cloud link"),
    Tracker("x-goog-signature", "signature of a Google Cloud link"),
    Tracker("x-goog-signedheaders", "signature of a Google Cloud link"),
    # views of one page
    Tracker("amp_js_v", "version of the AMP runtime"),
    Tracker("amp_gsa", "AMP opened from a Google app"),
    Tracker("replytocom", "WordPress without scripts: which comment is answered"),
    # names that somewhere are identity: only with a telling value
    Tracker("ref", "which site links here", "site"),
    Tracker("source", "which site links here", "site"),
    Tracker("share", "which share button was used", "site"),
    Tracker("ref_src", "which embed links here", "dotted"),
    Tracker("ncid", "campaign of news sites", "word"),
    Tracker("cmpid", "campaign of news sites", "word"),
    Tracker("trk", "place of the click on LinkedIn", "word"),
    Tracker("spm", "place of the click on Alibaba's sites", "dotted"),
)  # fmt: skip

PREFIXES: tuple[Tracker, ...] = (
    Tracker("utm_", "Urchin and Google Analytics campaign; also set by AI tools"),
    Tracker("pk_", "Piwik campaign"),
    Tracker("piwik_", "Piwik campaign"),
    Tracker("mtm_", "Matomo campaign"),
    Tracker("matomo_", "Matomo campaign"),
    Tracker("hsa_", "HubSpot advertisement"),
    Tracker("itm_", "campaign within a site"),
    Tracker("wt.", "Webtrends; the dot is part of the prefix"),
    Tracker("via.", "settings of Hypothesis's view"),
    Tracker("aspsessionid", "session of classic ASP, a random name"),
)

# Name and value together say: this is the AMP view of the same page.
VALUES: tuple[tuple[str, str, str], ...] = (
    ("amp", "", "AMP view of WordPress"),
    ("amp", "1", "AMP view"),
    ("amp", "true", "AMP view"),
    ("mode", "amp", "AMP view"),
    ("output", "amp", "AMP view"),
    ("outputtype", "amp", "AMP view"),
)

SESSIONS: tuple[Tracker, ...] = (
    Tracker("phpsessid", "session of PHP"),
    Tracker("jsessionid", "session of Java servers"),
)

# Sessions only when the value is 32 hexadecimal digits: a short one is a number of a story.
HEX_SESSIONS: tuple[Tracker, ...] = (
    Tracker("sid", "phpBB"),
    Tracker("s", "vBulletin"),
    Tracker("sessionid", "many shops and boards"),
    Tracker("session_id", "many shops and boards"),
    Tracker("oscsid", "osCommerce"),
    Tracker("zenid", "Zen Cart"),
)

# Values of `ref`, `source` and `share` that are networks, not editions or branches.
NETWORKS = frozenset(
    (
        "twitter twtr facebook linkedin reddit hackernews hacker-news hn producthunt lobsters "
        "mastodon bluesky bsky instagram pinterest tumblr telegram whatsapp jetpack-whatsapp"
    ).split()
)

# Last labels that are sites in `ref=`; `md`, `py`, `rs` are left out, they end file names.
SITE_LIKE_ENDINGS = frozenset(
    (
        "com org net edu gov io dev ai co app blog news me st xyz tech info page site online "
        "social club today world space live media email link so to tv fm gg us uk ca au nz ie de "
        "fr nl be ch at it es pt se no fi dk pl cz sk hu ro gr ru ua tr jp kr cn tw hk sg in br "
        "mx ar cl eu is ee lt lv si hr"
    ).split()
)

DROPPED = frozenset(t.name for t in (*TRACKERS, *SESSIONS) if not t.shape)
SHAPED = {t.name: t.shape for t in TRACKERS if t.shape}
DROPPED_PREFIXES = tuple(t.name for t in PREFIXES)
SESSIONS_BY_VALUE = frozenset(t.name for t in HEX_SESSIONS)
DROPPED_VALUES: dict[str, frozenset[str]] = {
    name: frozenset(value for other, value, _ in VALUES if other == name)
    for name in {name for name, _, _ in VALUES}
}
