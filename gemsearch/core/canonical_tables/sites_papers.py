"""Papers, standards and their archives: every rendition of one work has one key."""

from __future__ import annotations

from gemsearch.core.canonical_tables.shapes import SiteRule

_ARXIV = (
    r"(?:(?P<id>\d{4}\.\d{4,5})|(?P<old>[a-z-]+)(?:\.[A-Z]{2})?(?P<slash>/|%2F)(?P<digits>\d{7}))"
    r"(?:v\d+)?"
)
_DOI = r"(?P<doi>10\.\d{4,9}(?:/|%2F).+)"
_RFC = r"[Rr][Ff][Cc]0*(?P<n>\d+)"
_DRAFT = r"(?P<draft>draft-[a-z0-9-]+)"
_HASH = r"(?P<hash>[0-9a-f]{32})"

_ARXIV_RULES = (
    SiteRule(
        "arxiv", "arxiv.org export.arxiv.org browse.arxiv.org de.arxiv.org cn.arxiv.org "
        "xxx.lanl.gov ar5iv.org ar5iv.labs.arxiv.org arxiv-vanity.com alphaxiv.org",
        rf"/(?:abs|pdf|html|format|papers|overview)/(?:arXiv:)?{_ARXIV}(?:\.pdf)?",
        "arxiv.org/abs/{id}{old}{slash:slash}{digits}",
        "renditions, mirrors and versions of one paper",
        ("https://arxiv.org/pdf/2101.00007v2.pdf", "https://ar5iv.org/abs/2101.00007"),
        ("https://arxiv.org/abs/2101.0000", "https://arxiv.org/abs/2101.00007"),
        drop="*",
    ),
    SiteRule(
        "arxiv", "huggingface.co", rf"/papers/{_ARXIV}",
        "arxiv.org/abs/{id}{old}{slash:slash}{digits}", "a page on an arXiv paper",
        ("https://huggingface.co/papers/2101.00007", "https://arxiv.org/abs/2101.00007"),
        ("https://huggingface.co/papers/2101.00007", "https://huggingface.co/papers"),
        drop="*",
    ),
    SiteRule(
        "arxiv", "doi.org", rf"/10\.48550(?:/|%2F)[Aa][Rr][Xx][Ii][Vv]\.{_ARXIV}",
        "arxiv.org/abs/{id}{old}{slash:slash}{digits}", "arXiv's own DOIs",
        ("https://doi.org/10.48550/arXiv.2101.00007", "https://arxiv.org/abs/2101.00007"),
        ("https://doi.org/10.48550/arXiv.2101.00007", "https://doi.org/10.48550/arXiv.2101.00008"),
        drop="*",
    ),
)  # fmt: skip

# Publishers whose pages put the DOI into the path, as Atypon's software does.
_DOI_PUBLISHERS = (
    "dl.acm.org .onlinelibrary.wiley.com journals.sagepub.com tandfonline.com pubs.acs.org "
    "science.org advances.sciencemag.org science.sciencemag.org pnas.org nejm.org "
    "royalsocietypublishing.org annualreviews.org epubs.siam.org pubsonline.informs.org "
    "journals.physiology.org journals.asm.org journals.uchicago.edu ascelibrary.org "
    "aip.scitation.org pubs.aip.org avs.scitation.org asa.scitation.org worldscientific.com "
    "liebertpub.com emerald.com direct.mit.edu mitpressjournals.org ahajournals.org "
    "atsjournals.org ascopubs.org thelancet.com cell.com jamanetwork.com embopress.org "
    "rupress.org pubs.geoscienceworld.org cdnsciencepub.com degruyter.com degruyterbrill.com "
    "inderscienceonline.com link.aps.org"
)

_DOI_RULES = (
    SiteRule(
        "doi.ssrn", "doi.org", r"/10\.2139(?:/|%2F)[Ss][Ss][Rr][Nn]\.(?P<n>\d+)",
        "ssrn.com/abstract={n}", "SSRN's DOIs carry its number",
        ("https://doi.org/10.2139/ssrn.77", "https://ssrn.com/abstract=77"),
        ("https://doi.org/10.2139/ssrn.77", "https://ssrn.com/abstract=78"),
        drop="*",
    ),
    SiteRule(
        "doi.zenodo", "doi.org", r"/10\.5281(?:/|%2F)[Zz][Ee][Nn][Oo][Dd][Oo]\.(?P<n>\d+)",
        "zenodo.org/records/{n}", "Zenodo's DOIs carry its number",
        ("https://doi.org/10.5281/zenodo.77", "https://zenodo.org/record/77"),
        ("https://doi.org/10.5281/zenodo.77", "https://zenodo.org/record/78"),
        drop="*",
    ),
    SiteRule(
        "doi.rfc", "doi.org", rf"/10\.17487(?:/|%2F){_RFC}",
        "rfc-editor.org/rfc/rfc{n:number}", "the RFC editor's DOIs carry the number",
        ("https://doi.org/10.17487/RFC9999", "https://www.rfc-editor.org/rfc/rfc9999"),
        ("https://doi.org/10.17487/RFC9999", "https://www.rfc-editor.org/rfc/rfc999"),
        drop="*",
    ),
    SiteRule(
        "doi.acl", "doi.org", r"/10\.18653(?:/|%2F)v1(?:/|%2F)(?P<id>[A-Za-z0-9.-]+)",
        "aclanthology.org/{id:lower}", "the anthology's DOIs carry its id",
        (
            "https://doi.org/10.18653/v1/2099.kite-main.7",
            "https://aclanthology.org/2099.kite-main.7",
        ),
        (
            "https://doi.org/10.18653/v1/2099.kite-main.7",
            "https://aclanthology.org/2099.kite-main.77",
        ),
        drop="*",
    ),
    SiteRule(
        "doi", "doi.org", rf"/(?:doi:)?{_DOI}", "doi.org/{doi:doi}",
        "DOIs have no case, and `%2F` is their slash",
        ("https://doi.org/10.5555%2FKite.1", "https://doi.org/10.5555/kite.1"),
        ("https://doi.org/10.5555/kite.1", "https://doi.org/10.5555/kite.10"),
        drop="*",
    ),
    SiteRule(
        "doi.publisher", _DOI_PUBLISHERS,
        r"/doi/(?:(?:abs|full|pdf|epdf|pdfdirect|pdfplus|abstract|epub|reader|fullHtml|full-html"
        rf"|full-xml)/)?{_DOI}",
        "doi.org/{doi:doi}", "abstract, full text and PDF of one article",
        ("https://dl.acm.org/doi/abs/10.5555/kite.1", "https://doi.org/10.5555/kite.1"),
        ("https://dl.acm.org/doi/10.5555/kite.1", "https://dl.acm.org/doi/book/10.5555/kite.1"),
        drop="*",
    ),
    SiteRule(
        "doi.springer", "link.springer.com .biomedcentral.com .springeropen.com",
        r"/(?:article|articles|chapter|content/pdf|book|epdf|protocol|referenceworkentry"
        r"|counter/pdf|track/pdf|content)/(?P<doi>10\.\d{4,9}(?:/|%2F)[^/]+?)(?:\.pdf|/fulltext\.html"
        r"|/fulltext)?",
        "doi.org/{doi:doi}", "page and PDF of one article or chapter",
        ("https://link.springer.com/content/pdf/10.1007/s1-7.pdf", "https://doi.org/10.1007/s1-7"),
        (
            "https://link.springer.com/article/10.1007/s1-7",
            "https://link.springer.com/article/10.1007/s1-7/figures/1",
        ),
        drop="*",
    ),
    SiteRule(
        "doi.nature", "nature.com",
        r"/articles/(?P<id>[sd]\d{5}-\d{3}-\w{4,5}-\w|nature\d{5}|ncomms\d+|srep\d+)(?:\.pdf)?",
        "doi.org/10.1038/{id:lower}", "Nature's article names are the ends of its DOIs",
        ("https://www.nature.com/articles/nature99999.pdf", "https://doi.org/10.1038/nature99999"),
        (
            "https://www.nature.com/articles/nature99999",
            "https://www.nature.com/articles/nature99998",
        ),
        drop="*",
    ),
    SiteRule(
        "doi.iop", "iopscience.iop.org", r"/article/(?P<doi>10\.\d{4,9}/.+?)(?:/pdf|/meta|/epub)?",
        "doi.org/{doi:doi}", "page and PDF of one article",
        (
            "https://iopscience.iop.org/article/10.1088/1-7/pdf",
            "https://iopscience.iop.org/article/10.1088/1-7",
        ),
        (
            "https://iopscience.iop.org/article/10.1088/1-7",
            "https://iopscience.iop.org/article/10.1088/1-8",
        ),
        drop="*",
    ),
    SiteRule(
        "doi.aps", "journals.aps.org",
        rf"/[a-z]+/(?:abstract|pdf)/{_DOI}",
        "doi.org/{doi:doi}", "abstract and PDF of one article",
        (
            "https://journals.aps.org/prl/pdf/10.1103/Kite.1.7",
            "https://journals.aps.org/prl/abstract/10.1103/Kite.1.7",
        ),
        (
            "https://journals.aps.org/prl/abstract/10.1103/Kite.1.7",
            "https://journals.aps.org/prl/supplemental/10.1103/Kite.1.7",
        ),
        drop="*",
    ),
    SiteRule(
        "doi.frontiers", "frontiersin.org",
        r"(?:/journals/[a-z-]+)?/articles/(?P<doi>10\.3389/[^/]+)(?:/(?:full|abstract|pdf|epub))?",
        "doi.org/{doi:doi}", "page and PDF of one article",
        (
            "https://www.frontiersin.org/articles/10.3389/fkite.7/full",
            "https://www.frontiersin.org/journals/kites/articles/10.3389/fkite.7/pdf",
        ),
        (
            "https://www.frontiersin.org/articles/10.3389/fkite.7",
            "https://www.frontiersin.org/articles/10.3389/fkite.77",
        ),
        drop="*",
    ),
    SiteRule(
        "doi.plos", "journals.plos.org", "/[a-z]+/article", "doi.org/{id:doi}",
        "PLOS keys its articles by DOI",
        (
            "https://journals.plos.org/plosone/article?id=10.1371/journal.kite.7",
            "https://doi.org/10.1371/journal.kite.7",
        ),
        (
            "https://journals.plos.org/plosone/article?id=10.1371/journal.kite.7",
            "https://journals.plos.org/plosone/article?id=10.1371/journal.kite.8",
        ),
        params=r"id=10\.1371/\S+", drop="*",
    ),
    SiteRule(
        "doi.plos.pdf", "journals.plos.org", "/[a-z]+/article/file", "doi.org/{id:doi}",
        "the printable form of the same article",
        (
            "https://journals.plos.org/plosone/article/file?id=10.1371/journal.kite.7&type=printable",
            "https://journals.plos.org/plosone/article?id=10.1371/journal.kite.7",
        ),
        (
            "https://journals.plos.org/plosone/article/file?id=10.1371/journal.kite.7.s001&type=supplementary",
            "https://journals.plos.org/plosone/article?id=10.1371/journal.kite.7.s001",
        ),
        params=r"id=10\.1371/\S+ type=printable", drop="*",
    ),
    SiteRule(
        "biorxiv", "biorxiv.org medrxiv.org",
        r"/content/(?P<doi>10\.\d{4,9}/\d[\d.]*\d)(?:v\d+)?(?:\.(?:full|abstract|full-text|full\.pdf))?",
        "doi.org/{doi:doi}", "page, full text, PDF and versions of one preprint, as on arXiv",
        (
            "https://www.biorxiv.org/content/10.1101/2099.01.01.000007v1.full.pdf",
            "https://doi.org/10.1101/2099.01.01.000007",
        ),
        (
            "https://www.biorxiv.org/content/10.1101/2099.01.01.000007v1",
            "https://www.biorxiv.org/content/10.1101/2099.01.01.000007v1.supplementary-material",
        ),
        drop="*",
    ),
    SiteRule(
        "biorxiv.early", "biorxiv.org medrxiv.org",
        r"/content/(?:biorxiv/|medrxiv/)?early/\d{4}/\d\d/\d\d/(?P<id>\d[\d.]*\d)"
        r"(?:\.(?:full|abstract|full\.pdf))?",
        "doi.org/10.1101/{id}", "the older form of the same page",
        (
            "https://www.biorxiv.org/content/early/2099/01/02/000007.full.pdf",
            "https://doi.org/10.1101/000007",
        ),
        (
            "https://www.biorxiv.org/content/early/2099/01/02/000007",
            "https://www.biorxiv.org/content/early/2099/01/02/000008",
        ),
        drop="*",
    ),
    SiteRule(
        "elife", "elifesciences.org", r"/articles/0*(?P<n>\d+)", "doi.org/10.7554/elife.{n:pad5}",
        "eLife's numbers are the ends of its DOIs",
        ("https://elifesciences.org/articles/00777", "https://doi.org/10.7554/eLife.00777"),
        ("https://elifesciences.org/articles/00777", "https://elifesciences.org/articles/00778"),
        drop="*",
    ),
    SiteRule(
        "rsc", "pubs.rsc.org",
        r"/en/content/article(?:landing|pdf|html)/\d{4}/\w+/(?P<id>[A-Za-z0-9]+)",
        "doi.org/10.1039/{id:lower}", "the society's names are the ends of its DOIs",
        (
            "https://pubs.rsc.org/en/content/articlepdf/2099/kt/d9kt00007a",
            "https://doi.org/10.1039/D9KT00007A",
        ),
        (
            "https://pubs.rsc.org/en/content/articlelanding/2099/kt/d9kt00007a",
            "https://pubs.rsc.org/en/content/articlelanding/2099/kt/d9kt00008a",
        ),
        drop="*",
    ),
)  # fmt: skip

_PUBLISHERS = (
    SiteRule(
        "acm.citation", "dl.acm.org portal.acm.org", r"/(?:citation|ft_gateway)\.cfm",
        "doi.org/10.1145/{id}", "ACM's old number of parent and paper is the end of the DOI",
        ("https://dl.acm.org/citation.cfm?id=77.78", "https://dl.acm.org/doi/10.1145/77.78"),
        ("https://dl.acm.org/citation.cfm?id=77.78", "https://dl.acm.org/citation.cfm?id=77.79"),
        params=r"id=\d+\.\d+", drop="*",
    ),
    SiteRule(
        "ieee", "ieeexplore.ieee.org", r"/(?:abstract/)?document/0*(?P<n>\d+)",
        "ieeexplore.ieee.org/document/{n}", "page of one article",
        (
            "https://ieeexplore.ieee.org/abstract/document/777",
            "https://ieeexplore.ieee.org/document/777/",
        ),
        ("https://ieeexplore.ieee.org/document/777", "https://ieeexplore.ieee.org/document/778"),
        drop="*",
    ),
    SiteRule(
        "ieee.stamp", "ieeexplore.ieee.org",
        r"/(?:stamp/stamp\.jsp|xpl/articleDetails\.jsp|xpls/abs_all\.jsp|stampPDF/getPDF\.jsp)",
        "ieeexplore.ieee.org/document/{arnumber:number}", "PDF and old page of one article",
        (
            "https://ieeexplore.ieee.org/stamp/stamp.jsp?tp=&arnumber=0777",
            "https://ieeexplore.ieee.org/document/777",
        ),
        (
            "https://ieeexplore.ieee.org/stamp/stamp.jsp?arnumber=777",
            "https://ieeexplore.ieee.org/stamp/stamp.jsp?arnumber=778",
        ),
        params=r"arnumber=\d+", drop="*",
    ),
    SiteRule(
        "ieee.file", "ieeexplore.ieee.org", r"/ie[a-z]*\d*/(?:\d+/)+0*(?P<n>\d+)\.pdf",
        "ieeexplore.ieee.org/document/{n}", "PDF of one article",
        (
            "https://ieeexplore.ieee.org/iel7/5/1234/00000777.pdf",
            "https://ieeexplore.ieee.org/document/777",
        ),
        (
            "https://ieeexplore.ieee.org/iel7/5/1234/00000777.pdf",
            "https://ieeexplore.ieee.org/document/1234",
        ),
        drop="*",
    ),
    SiteRule(
        "sciencedirect", "sciencedirect.com",
        r"/science/article/(?:abs/|am/)?pii/(?P<pii>[A-Za-z0-9]+)(?:/(?:pdf|pdfft))?",
        "sciencedirect.com/science/article/pii/{pii:upper}",
        "abstract, page and PDF of one article",
        (
            "https://www.sciencedirect.com/science/article/abs/pii/S0001?via%3Dihub",
            "https://www.sciencedirect.com/science/article/pii/S0001/pdfft",
        ),
        (
            "https://www.sciencedirect.com/science/article/pii/S0001",
            "https://www.sciencedirect.com/science/article/pii/S0002",
        ),
        drop="*",
    ),
    SiteRule(
        "mdpi", "mdpi.com", r"/(?P<id>\d{4}-\d{3}[\dXx]/\d+/\d+/\w+)(?:/(?:html?|pdf|xml))?",
        "mdpi.com/{id}", "page and PDF of one article",
        ("https://www.mdpi.com/0000-0007/1/2/7/htm", "https://www.mdpi.com/0000-0007/1/2/7"),
        ("https://www.mdpi.com/0000-0007/1/2/7", "https://www.mdpi.com/0000-0007/1/2/77"),
        drop="*",
    ),
    SiteRule(
        "oup", "academic.oup.com",
        r"/(?P<journal>[a-z-]+)/article(?:-abstract)?/(?P<id>\d+/[\w-]+/\w+/\d+)",
        "academic.oup.com/{journal}/article/{id}", "abstract and text of one article",
        (
            "https://academic.oup.com/kites/article-abstract/1/2/3/777",
            "https://academic.oup.com/kites/article/1/2/3/777",
        ),
        (
            "https://academic.oup.com/kites/article/1/2/3/777",
            "https://academic.oup.com/kites/article/1/2/4/778",
        ),
        drop="*",
    ),
    SiteRule(
        "jstor", "jstor.org", r"/stable/(?:pdf/|10\.2307/)?(?P<n>\d+)(?:\.pdf)?",
        "jstor.org/stable/{n}", "page and PDF of one article",
        ("https://www.jstor.org/stable/pdf/777.pdf", "https://www.jstor.org/stable/777"),
        ("https://www.jstor.org/stable/777", "https://www.jstor.org/stable/778"),
        drop="*",
    ),
    SiteRule(
        "peerj", "peerj.com", r"/articles/(?P<id>(?:cs-)?\d+)(?:\.pdf)?", "peerj.com/articles/{id}",
        "page and PDF of one article",
        ("https://peerj.com/articles/cs-77.pdf", "https://peerj.com/articles/cs-77/"),
        ("https://peerj.com/articles/cs-77", "https://peerj.com/articles/77"),
        drop="*",
    ),
    SiteRule(
        "researchgate", "researchgate.net", r"/publication/(?P<n>\d+)(?:_.*)?",
        "researchgate.net/publication/{n}", "the title follows the number",
        (
            "https://www.researchgate.net/publication/77_On_Kites",
            "https://www.researchgate.net/publication/77",
        ),
        (
            "https://www.researchgate.net/publication/77_On_Kites",
            "https://www.researchgate.net/publication/78_On_Kites",
        ),
        drop="*",
    ),
    SiteRule(
        "academia", "academia.edu", r"/(?P<n>\d+)(?:/[^/]*)?", "academia.edu/{n}",
        "the title follows the number",
        ("https://www.academia.edu/77/On_Kites", "https://www.academia.edu/77"),
        ("https://www.academia.edu/77/On_Kites", "https://www.academia.edu/78/On_Kites"),
        drop="*",
    ),
)  # fmt: skip

_ARCHIVES = (
    SiteRule(
        "openreview", "openreview.net", r"/(?:forum|pdf)", "openreview.net/forum?id={id}",
        "page and PDF of one submission",
        ("https://openreview.net/pdf?id=Kite7", "https://openreview.net/forum?id=Kite7&noteId=x"),
        ("https://openreview.net/forum?id=Kite7", "https://openreview.net/forum?id=kite7"),
        params=r"id=[\w-]+", drop="*",
    ),
    SiteRule(
        "pmlr", "proceedings.mlr.press",
        r"/(?P<volume>v\d+|r\d+)/(?P<id>[\w-]+)(?:/(?P=id)\.pdf|\.html)?",
        "proceedings.mlr.press/{volume}/{id}", "page and PDF of one paper",
        (
            "https://proceedings.mlr.press/v77/kite99a/kite99a.pdf",
            "http://proceedings.mlr.press/v77/kite99a.html",
        ),
        (
            "https://proceedings.mlr.press/v77/kite99a/kite99a.pdf",
            "https://proceedings.mlr.press/v77/kite99a/kite99a-supp.pdf",
        ),
        drop="*",
    ),
    SiteRule(
        "neurips", "papers.nips.cc papers.neurips.cc proceedings.neurips.cc",
        rf"/(?:paper|paper_files/paper)/(?P<year>\d{{4}})/(?:hash|file)/{_HASH}-(?:Abstract|Paper)"
        r"(?:-[A-Za-z_]+)?\.(?:html|pdf)",
        "proceedings.neurips.cc/paper/{year}/{hash}", "page and PDF of one paper",
        (
            f"https://papers.nips.cc/paper/2099/hash/{'7' * 32}-Abstract.html",
            f"https://proceedings.neurips.cc/paper_files/paper/2099/file/{'7' * 32}-Paper-Kite.pdf",
        ),
        (
            f"https://papers.nips.cc/paper/2099/hash/{'7' * 32}-Abstract.html",
            f"https://papers.nips.cc/paper/2099/file/{'7' * 32}-Supplemental.pdf",
        ),
        drop="*",
    ),
    SiteRule(
        "cvf", "openaccess.thecvf.com",
        r"/(?P<venue>content[^/]*(?:/[^/]+)?)/(?:html|papers)/(?:w\d+/)?(?P<id>[^/]+_paper)\.(?:html|pdf)",
        "openaccess.thecvf.com/{venue}/{id}", "page and PDF of one paper",
        (
            "https://openaccess.thecvf.com/content/KITE2099/html/Doe_On_Kites_paper.html",
            "https://openaccess.thecvf.com/content/KITE2099/papers/Doe_On_Kites_paper.pdf",
        ),
        (
            "https://openaccess.thecvf.com/content/KITE2099/html/Doe_On_Kites_paper.html",
            "https://openaccess.thecvf.com/content/KITE2098/html/Doe_On_Kites_paper.html",
        ),
        drop="*",
    ),
    SiteRule(
        "acl", "aclanthology.org aclanthology.info",
        r"/(?:anthology/)?(?:papers/\w/\w+/)?(?P<id>[A-Za-z]\d{2}-\d{4}|\d{4}\.[a-z0-9_-]+\.\d+)"
        r"(?:\.pdf)?",
        "aclanthology.org/{id:lower}", "page, PDF and old address of one paper",
        ("https://www.aclweb.org/anthology/X99-1007.pdf", "https://aclanthology.org/X99-1007/"),
        ("https://aclanthology.org/2099.kite-long.1", "https://aclanthology.org/2099.kite-long.10"),
        drop="*",
    ),
    SiteRule(
        "jmlr", "jmlr.org", r"/papers/v(?P<volume>\d+)/(?P<id>[\w-]+)(?:\.html)?",
        "jmlr.org/papers/v{volume}/{id}", "page of one paper",
        ("http://www.jmlr.org/papers/v77/kite99a.html", "https://jmlr.org/papers/v77/kite99a"),
        ("https://jmlr.org/papers/v77/kite99a", "https://jmlr.org/papers/v78/kite99a"),
        drop="*",
    ),
    SiteRule(
        "jmlr.pdf", "jmlr.org", r"/papers/volume(?P<volume>\d+)/(?P<id>[\w-]+)/(?P=id)\.pdf",
        "jmlr.org/papers/v{volume}/{id}", "PDF of the same paper",
        (
            "https://jmlr.org/papers/volume77/kite99a/kite99a.pdf",
            "https://jmlr.org/papers/v77/kite99a.html",
        ),
        (
            "https://jmlr.org/papers/volume77/kite99a/kite99a.pdf",
            "https://jmlr.org/papers/volume77/kite99b/kite99b.pdf",
        ),
        drop="*",
    ),
    SiteRule(
        "semanticscholar", "semanticscholar.org", r"/paper/(?:[^/]+/)?(?P<id>[0-9a-f]{40})",
        "semanticscholar.org/paper/{id}", "the title may stand before the number",
        (
            f"https://www.semanticscholar.org/paper/On-Kites-Doe/{'7' * 40}",
            f"https://www.semanticscholar.org/paper/{'7' * 40}",
        ),
        (
            f"https://www.semanticscholar.org/paper/{'7' * 40}",
            f"https://www.semanticscholar.org/paper/{'8' * 40}",
        ),
        drop="*",
    ),
    SiteRule(
        "pubmed", "pubmed.ncbi.nlm.nih.gov pubmed.gov ncbi.nlm.nih.gov",
        r"/(?:(?:m/)?pubmed/)?0*(?P<n>\d+)", "pubmed.ncbi.nlm.nih.gov/{n}",
        "old and new address of one record",
        ("https://www.ncbi.nlm.nih.gov/pubmed/777", "https://pubmed.ncbi.nlm.nih.gov/777/"),
        ("https://pubmed.ncbi.nlm.nih.gov/777", "https://pubmed.ncbi.nlm.nih.gov/7777"),
        drop="*",
    ),
    SiteRule(
        "pubmed.europe", "europepmc.org", r"/(?:article|abstract)/(?:MED|med)/(?P<n>\d+)",
        "pubmed.ncbi.nlm.nih.gov/{n}", "the same record at the European archive",
        ("https://europepmc.org/article/MED/777", "https://europepmc.org/abstract/med/777"),
        ("https://europepmc.org/article/MED/777", "https://europepmc.org/article/PMC/PMC777"),
        drop="*",
    ),
    SiteRule(
        "pmc", "ncbi.nlm.nih.gov pmc.ncbi.nlm.nih.gov",
        r"(?:/m)?(?:/pmc)?/articles/(?:PMC|pmc)(?P<n>\d+)(?:/(?:pdf(?:/.*)?|epub)|/reader)?",
        "pmc.ncbi.nlm.nih.gov/articles/PMC{n}", "old and new address and PDF of one article",
        (
            "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC777/pdf/kite.pdf",
            "https://pmc.ncbi.nlm.nih.gov/articles/PMC777/",
        ),
        (
            "https://pmc.ncbi.nlm.nih.gov/articles/PMC777",
            "https://pmc.ncbi.nlm.nih.gov/articles/PMC777/figure/F1",
        ),
        drop="*",
    ),
    SiteRule(
        "pmc.europe", "europepmc.org", r"/(?:article/PMC|articles)/(?:PMC)(?P<n>\d+)",
        "pmc.ncbi.nlm.nih.gov/articles/PMC{n}", "the same article at the European archive",
        (
            "https://europepmc.org/article/PMC/PMC777",
            "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC777",
        ),
        ("https://europepmc.org/articles/PMC777", "https://europepmc.org/articles/PMC778"),
        drop="*",
    ),
    SiteRule(
        "ssrn", "papers.ssrn.com ssrn.com", r"/(?:sol3/)?(?:papers|abstract)\.cfm",
        "ssrn.com/abstract={abstract_id}", "page of one paper",
        (
            "https://papers.ssrn.com/sol3/papers.cfm?abstract_id=777",
            "https://ssrn.com/abstract=777",
        ),
        ("https://ssrn.com/abstract=777", "https://ssrn.com/abstract=778"),
        params=r"abstract_id=\d+", drop="*",
    ),
    SiteRule(
        "ssrn.file", "papers.ssrn.com ssrn.com", r"/sol3/Delivery\.cfm(?:/.*)?",
        "ssrn.com/abstract={abstractid}", "PDF of the same paper",
        (
            "https://papers.ssrn.com/sol3/Delivery.cfm/SSRN_ID777.pdf?abstractid=777&mirid=1",
            "https://ssrn.com/abstract=777",
        ),
        (
            "https://papers.ssrn.com/sol3/Delivery.cfm?abstractid=777",
            "https://papers.ssrn.com/sol3/Delivery.cfm?abstractid=778",
        ),
        params=r"abstractid=\d+", drop="*",
    ),
    SiteRule(
        "ssrn.short", "ssrn.com papers.ssrn.com", r"/abstract=(?P<n>\d+)", "ssrn.com/abstract={n}",
        "short form of the page",
        ("https://ssrn.com/abstract=777", "https://papers.ssrn.com/abstract=777"),
        ("https://ssrn.com/abstract=777", "https://ssrn.com/abstract=7"),
        drop="*",
    ),
    SiteRule(
        "hal", ".hal.science hal.science .archives-ouvertes.fr hal.inria.fr",
        r"/(?P<id>[a-z]{2,12}-\d{8})(?:v\d+)?(?:/(?:document|preview/.*|file/.*\.pdf))?",
        "hal.science/{id}", "portals, versions and PDF of one deposit",
        ("https://inria.hal.science/hal-00000077v2/document", "https://hal.science/hal-00000077"),
        ("https://hal.science/hal-00000077", "https://hal.science/tel-00000077"),
        drop="*",
    ),
    SiteRule(
        "iacr", "eprint.iacr.org", r"/(?P<id>\d{4}/\d+)(?:\.pdf)?", "eprint.iacr.org/{id}",
        "page and PDF of one paper",
        ("https://eprint.iacr.org/2099/077.pdf", "https://eprint.iacr.org/2099/077"),
        ("https://eprint.iacr.org/2099/077", "https://eprint.iacr.org/2098/077"),
        drop="*",
    ),
    SiteRule(
        "zenodo", "zenodo.org", r"/records?/(?P<n>\d+)", "zenodo.org/records/{n}",
        "old and new address of one record",
        ("https://zenodo.org/record/777", "https://zenodo.org/records/777"),
        ("https://zenodo.org/records/777", "https://zenodo.org/records/777/files/a.csv"),
        drop="*",
    ),
    SiteRule(
        "citeseer", "citeseerx.ist.psu.edu", r"/viewdoc/(?:summary|download)",
        "citeseerx.ist.psu.edu/viewdoc/summary?doi={doi}", "page and PDF of one paper",
        (
            "http://citeseerx.ist.psu.edu/viewdoc/download;jsessionid=0A?doi=10.1.1.7.7&type=pdf",
            "https://citeseerx.ist.psu.edu/viewdoc/summary?doi=10.1.1.7.7",
        ),
        (
            "https://citeseerx.ist.psu.edu/viewdoc/summary?doi=10.1.1.7.7",
            "https://citeseerx.ist.psu.edu/viewdoc/summary?doi=10.1.1.7.8",
        ),
        params=r"doi=10\.1\.1\.[\d.]+", drop="*",
    ),
)  # fmt: skip

_STANDARDS = (
    SiteRule(
        "rfc", "rfc-editor.org",
        rf"/(?:rfc|info|rfc/inline-errata|rfc/pdfrfc)/{_RFC}(?:\.(?:txt|pdf|html|xml|json|txt\.pdf))?",
        "rfc-editor.org/rfc/rfc{n:number}", "every rendition of one RFC",
        ("https://www.rfc-editor.org/info/rfc9999", "https://www.rfc-editor.org/rfc/rfc9999.pdf"),
        ("https://www.rfc-editor.org/rfc/rfc9999", "https://www.rfc-editor.org/errata/rfc9999"),
        drop="*",
    ),
    SiteRule(
        "rfc.ietf", "ietf.org tools.ietf.org datatracker.ietf.org",
        rf"/(?:doc/|doc/html/|doc/pdf/|doc/txt/|html/|rfc/|pdf/|txt/){_RFC}(?:\.(?:txt|pdf|html))?",
        "rfc-editor.org/rfc/rfc{n:number}", "the IETF's renditions of the same RFC",
        ("https://tools.ietf.org/html/rfc0999", "https://www.rfc-editor.org/rfc/rfc999"),
        (
            "https://datatracker.ietf.org/doc/html/rfc9999",
            "https://datatracker.ietf.org/doc/rfc9999/history",
        ),
        drop="*",
    ),
    SiteRule(
        "rfc.mirror", "httpwg.org faqs.org greenbytes.de",
        rf"/(?:specs|rfcs|tech/webdav)/{_RFC}(?:\.(?:html|txt))?",
        "rfc-editor.org/rfc/rfc{n:number}", "other renditions of the same RFC",
        ("https://httpwg.org/specs/rfc9999.html", "https://www.rfc-editor.org/rfc/rfc9999"),
        ("https://httpwg.org/specs/rfc9999.html", "https://httpwg.org/specs"),
        drop="*",
    ),
    SiteRule(
        "draft", "ietf.org tools.ietf.org datatracker.ietf.org",
        rf"/(?:doc|doc/html|doc/pdf|html|id|pdf|archive/id)/{_DRAFT}(?:\.(?:txt|pdf|html|xml))?",
        "datatracker.ietf.org/doc/{draft}", "renditions of one draft; versions stay apart",
        (
            "https://www.ietf.org/archive/id/draft-doe-kite-07.txt",
            "https://datatracker.ietf.org/doc/html/draft-doe-kite-07",
        ),
        (
            "https://datatracker.ietf.org/doc/html/draft-doe-kite-07",
            "https://datatracker.ietf.org/doc/html/draft-doe-kite-08",
        ),
        drop="*",
    ),
    SiteRule(
        "pep", "peps.python.org python.org legacy.python.org",
        r"/(?:dev/peps/)?pep-(?P<n>\d{4})(?:\.html)?",
        "peps.python.org/pep-{n}", "old and new address of one proposal",
        ("https://www.python.org/dev/peps/pep-9999/", "https://peps.python.org/pep-9999/"),
        ("https://peps.python.org/pep-9999/", "https://peps.python.org/pep-9998/"),
    ),
    SiteRule(
        "cve", "cve.mitre.org cve.org", r"/(?:cgi-bin/cvename\.cgi)",
        "cve.org/CVERecord?id={name:upper}",
        "the old address of a record",
        (
            "https://cve.mitre.org/cgi-bin/cvename.cgi?name=cve-2099-0007",
            "https://www.cve.org/CVERecord?id=CVE-2099-0007",
        ),
        (
            "https://cve.mitre.org/cgi-bin/cvename.cgi?name=CVE-2099-0007",
            "https://cve.mitre.org/cgi-bin/cvename.cgi?name=CVE-2099-0008",
        ),
        params=r"name=(?i:CVE)-\d{4}-\d+", drop="*",
    ),
    SiteRule(
        "nvd", "nvd.nist.gov", r"/vuln/detail/(?P<id>(?i:CVE)-\d{4}-\d+)",
        "nvd.nist.gov/vuln/detail/{id:upper}", "numbers have no case",
        (
            "https://nvd.nist.gov/vuln/detail/cve-2099-0007",
            "https://nvd.nist.gov/vuln/detail/CVE-2099-0007",
        ),
        (
            "https://nvd.nist.gov/vuln/detail/CVE-2099-0007",
            "https://nvd.nist.gov/vuln/detail/CVE-2099-0077",
        ),
    ),
)  # fmt: skip

PAPERS: tuple[SiteRule, ...] = (
    *_ARXIV_RULES,
    *_DOI_RULES,
    *_PUBLISHERS,
    *_ARCHIVES,
    *_STANDARDS,
)
