"""Shops and events: the number of the article is the page, storefronts stay apart."""

from __future__ import annotations

from gemsearch.core.canonical_tables.shapes import SiteRule

_ASIN = "(?P<asin>[A-Za-z0-9]{10})"

SHOPS: tuple[SiteRule, ...] = (
    SiteRule(
        "amazon.product", "amazon.<cc>",
        rf"(?:/[^/]+)?/(?:dp|gp/product|gp/aw/d|exec/obidos/ASIN|o/ASIN)(?:/product)?/{_ASIN}(?:/.*)?",
        "{host}/dp/{asin:upper}", "the article number is the page, within one storefront",
        (
            "https://www.amazon.com/Kite/dp/B000KITE07/ref=sr_1_1?keywords=x",
            "https://www.amazon.com/gp/product/B000KITE07",
        ),
        ("https://www.amazon.com/dp/B000KITE07", "https://www.amazon.de/dp/B000KITE07"),
        drop="*",
    ),
    SiteRule(
        "amazon.smile", "smile.amazon.<cc>",
        rf"(?:/[^/]+)?/(?:dp|gp/product|gp/aw/d)/{_ASIN}(?:/.*)?",
        "{host:storefront}/dp/{asin:upper}", "the charity view of the same storefront",
        ("https://smile.amazon.co.uk/dp/B000KITE07", "https://www.amazon.co.uk/dp/B000KITE07"),
        ("https://smile.amazon.co.uk/dp/B000KITE07", "https://www.amazon.com/dp/B000KITE07"),
        drop="*",
    ),
    SiteRule(
        "ebay.article", "ebay.<cc>", r"/itm/(?:[^/]+/)?(?P<n>\d{6,})", "{host}/itm/{n}",
        "the title may stand before the number",
        (
            "https://www.ebay.com/itm/Red-Kite/777777777?hash=x",
            "https://www.ebay.com/itm/777777777",
        ),
        ("https://www.ebay.com/itm/777777777", "https://www.ebay.de/itm/777777777"),
        drop="*",
    ),
    SiteRule(
        "aliexpress.article", "aliexpress.com aliexpress.us",
        r"/(?:item|i)/(?:[^/]+/)?(?P<n>\d{6,})(?:\.html)?",
        "{host}/item/{n}", "the title may stand before the number",
        (
            "https://www.aliexpress.com/item/Red-Kite/777777777.html?spm=a.b",
            "https://www.aliexpress.com/item/777777777.html",
        ),
        (
            "https://www.aliexpress.com/item/777777777.html",
            "https://www.aliexpress.com/item/777777778.html",
        ),
        drop="*",
    ),
    SiteRule(
        "etsy.listing", "etsy.com", r"/listing/(?P<n>\d+)(?:/[^/]*)?", "etsy.com/listing/{n}",
        "the title follows the number",
        ("https://www.etsy.com/listing/777/red-kite?ref=x", "https://www.etsy.com/listing/777"),
        ("https://www.etsy.com/listing/777", "https://www.etsy.com/listing/778"),
        drop="*",
    ),
    SiteRule(
        "steam.app", "store.steampowered.com", r"(?:/agecheck)?/app/(?P<n>\d+)(?:/[^/]*)?",
        "store.steampowered.com/app/{n}", "the title follows the number; languages stay apart",
        (
            "https://store.steampowered.com/app/777/Red_Kite/?snr=1_7",
            "https://store.steampowered.com/app/777",
        ),
        (
            "https://store.steampowered.com/app/777?l=german",
            "https://store.steampowered.com/app/777",
        ),
        drop="snr curator_clanid curator_listid",
    ),
    SiteRule(
        "eventbrite", ".eventbrite.com eventbrite.co.uk eventbrite.de eventbrite.ca eventbrite.fr",
        r"/e/.+", "",
        "which partner sent the visitor",
        (
            "https://www.eventbrite.com/e/kite-day-tickets-777?aff=x",
            "https://www.eventbrite.com/e/kite-day-tickets-777",
        ),
        (
            "https://www.eventbrite.com/e/kite-day-tickets-777",
            "https://www.eventbrite.com/e/kite-day-tickets-778",
        ),
        drop="aff keep_tld",
    ),
    SiteRule(
        "udemy.course", "udemy.com", r"/course/[^/]+", "", "coupons do not change the course",
        ("https://www.udemy.com/course/kites/?couponCode=X", "https://www.udemy.com/course/kites/"),
        ("https://www.udemy.com/course/kites/", "https://www.udemy.com/course/boats/"),
        drop="couponCode referralCode",
    ),
    SiteRule(
        "kickstarter", "kickstarter.com", r"/projects/.+", "", "which page led to the project",
        (
            "https://www.kickstarter.com/projects/kite/wind?ref=discovery",
            "https://www.kickstarter.com/projects/kite/wind",
        ),
        (
            "https://www.kickstarter.com/projects/kite/wind",
            "https://www.kickstarter.com/projects/kite/sea",
        ),
        drop="ref term",
    ),
)  # fmt: skip
