"""Public reports of other projects, and the tests that say what happens here instead.

Facts only: what went wrong there in a few words, and the tests. A report whose right behaviour had
no test of its own has one in test_reports.py. Reports of lost and damaged data are those of the
fault suite.
"""

from __future__ import annotations

from typing import NamedTuple

HERE = "tests/hostile"
TEXT = "tests/test_text.py"
CONTRACT = "tests/providers/test_contract.py"
OWN = f"{HERE}/test_reports.py"


class Report(NamedTuple):
    where: str  # owner/name and number, or as it is known; several that are one
    what: str
    tests: tuple[str, ...]


REPORTS = (
    # Hostile text
    Report(
        "cli/cli CVE-2026-45803, GHSA-crc3-h8v6-qh57",
        "a sanitiser at chosen call sites, and a log printed past it",
        (
            f"{OWN}::test_cli_cli_cve_2026_45803_every_line_passes_one_gate",
            "tests/test_imports.py::test_only_render_writes_to_standard_output",
            f"{HERE}/test_commands.py::test_nothing_stored_is_obeyed_or_hides_in_an_answer",
        ),
    ),
    Report(
        "gitgitgadget/git#1853",
        "messages of a remote end obeyed by the terminal",
        (
            f"{OWN}::test_gitgitgadget_git_1853_what_a_service_says_of_itself_is_not_obeyed",
            (
                "tests/providers/test_outcome.py"
                "::test_every_answer_makes_a_failure_that_no_terminal_obeys"
            ),
        ),
    ),
    Report(
        "gwsw/less#781",
        "a sequence without an end passed the filter",
        (f"{TEXT}::test_less_781_an_unterminated_string_sequence_vanishes_to_the_end_of_its_line",),
    ),
    Report(
        "croc GHSA-364c-vvqx-446c",
        "a file name that is a sequence",
        (
            (
                f"{TEXT}::TestFileName"
                "::test_croc_ghsa_364c_a_hostile_file_name_is_written_out_and_not_acted_on"
            ),
            (
                f"{HERE}/test_parameters.py"
                "::test_a_hostile_path_is_handed_on_as_it_is_and_written_out_on_a_terminal"
            ),
            f"{HERE}/test_foreign_databases.py::test_no_name_of_a_foreign_file_is_obeyed",
        ),
    ),
    Report(
        "resend-cli#240, mdk#993",
        "sequences in plain output, where the full-screen view had none",
        (
            f"{HERE}/test_terminal.py::test_what_a_terminal_receives_is_plain_lines",
            f"{HERE}/test_commands.py::test_an_answer_is_the_same_on_a_terminal_and_in_a_pipe",
        ),
    ),
    Report(
        "mdk#759",
        "an entity decoded behind the filter",
        (f"{TEXT}::TestMarkup::test_mdk_759_an_entity_is_decoded_before_the_text_is_cleaned",),
    ),
    Report(
        "ansi2html CVE-2026-92973",
        "sequences on their way into a page",
        (
            f"{HERE}/test_pages.py::test_no_page_of_ours_acts_or_hides_anything",
            (
                f"{HERE}/test_agents.py"
                "::test_a_report_on_hostile_logs_is_plain_lines_json_and_an_inert_page"
            ),
        ),
    ),
    Report(
        "mandiant/capa#2866, mandiant/flare-floss#789, Textualize/textual#6155",
        "brackets in a text ended the program",
        (
            f"{TEXT}::test_capa_2866_a_title_with_markup_prints_as_it_is",
            f"{OWN}::test_flare_floss_789_a_title_with_brackets_is_shown_by_every_command",
        ),
    ),
    Report(
        "coder/coder#23525",
        "cleaning twice was not cleaning once",
        (
            (
                f"{TEXT}"
                "::test_coder_23525_hidden_characters_are_removed_before_letters_join_their_accents"
            ),
            "tests/test_text_properties.py::test_cleaning_twice_changes_nothing",
        ),
    ),
    Report(
        "NousResearch/hermes-agent#80689, Amazon Q CLI#2435, goose#3920, goose#4047",
        "text in tag characters, behind a flag and elsewhere",
        (
            f"{TEXT}::test_hermes_agent_80689_a_black_flag_carries_no_hidden_text",
            f"{TEXT}::test_what_cannot_be_seen_is_removed_and_counted",
            f"{HERE}/test_agents.py::test_a_hook_repeats_a_stored_topic_as_one_line_of_data",
        ),
    ),
    Report(
        "telegram-mcp#89, mac_messages_mcp#67, webmcp_everywhere#2",
        "messages of strangers handed to a model as if they were the tool's own words",
        (
            (
                "tests/agents/test_mcp_calls.py"
                "::test_text_from_the_web_is_one_line_a_field_within_the_notice"
            ),
            f"{HERE}/test_agents.py::test_an_mcp_answer_holds_stored_text_as_clean_lines",
            f"{HERE}/test_commands.py::test_results_stay_behind_their_notice_numbered_and_indented",
        ),
    ),
    Report(
        "calebevans/mulder#152",
        "an error of the full-text search told as nothing found",
        (f"{OWN}::test_mulder_152_an_error_of_the_full_text_search_is_an_error",),
    ),
    Report(
        "ccrecall#23, ccrecall#29, meta_skill#100, simonw/sqlite-utils#296",
        "words of a person read as operators of the full-text search",
        (
            (
                f"{HERE}/test_front_door.py"
                "::test_what_is_found_for_words_of_a_query_language_is_what_has_the_words"
            ),
            "tests/datasette/test_queries.py::test_a_query_takes_whatever_is_typed",
        ),
    ),
    # Secrets and private data
    Report(
        "atuinsh/atuin#1326",
        "patterns that matched a secret only when it stood alone",
        ("tests/test_secrets.py::test_atuin_1326_a_pattern_finds_its_sample_embedded_in_text",),
    ),
    Report(
        "atuinsh/atuin#2932",
        "secrets looked for by the names of variables",
        (
            (
                "tests/test_secrets.py"
                "::test_atuin_2932_a_secret_is_found_by_what_it_is_and_not_by_a_variable_name"
            ),
        ),
    ),
    Report(
        "entireio/cli#471",
        "so much taken for a secret that nothing was left to read",
        (
            (
                "tests/test_secrets.py"
                "::test_entireio_cli_471_a_benign_page_of_all_topics_stays_untouched"
            ),
            "tests/test_secrets.py::test_no_benign_topic_is_refused",
        ),
    ),
    Report(
        "anthropics/claude-code#86707, NousResearch/hermes-agent#19845",
        "live keys in the histories that agents keep",
        (
            f"{OWN}::test_claude_code_86707_a_history_with_keys_leaves_them_where_they_are",
            (
                "tests/history/test_mine.py"
                "::test_neither_a_secret_nor_a_text_around_the_results_is_said"
            ),
            (
                "tests/history/test_backfill.py"
                "::test_a_secret_is_counted_by_its_kind_and_never_reaches_the_file"
            ),
        ),
    ),
    Report(
        "handochan/aelix-ai#138, seanrobertwright/session-backpack#42",
        "whether to look when writing or when sharing; what to do when looking fails",
        (
            (
                f"{HERE}/test_canary_key.py"
                "::test_a_topic_with_a_secret_is_not_sent_not_stored_and_not_repeated"
            ),
            (
                "tests/editions/test_withheld.py"
                "::test_a_topic_with_a_finding_withholds_its_gem_and_its_rejections"
            ),
            (
                "tests/editions/test_saving.py"
                "::test_an_unfit_edition_is_deleted_and_the_earlier_one_stays"
            ),
        ),
    ),
    Report(
        "rust-lang/crates.io#1800",
        "columns listed one by one as public or private",
        (
            "tests/editions/test_policy.py::test_every_column_of_the_ledger_has_a_decision",
            "tests/editions/test_policy.py::test_a_new_column_or_table_stops_every_edition",
        ),
    ),
    # Datasette
    Report(
        "simonw/datasette#2178",
        "the label of a foreign key showed a row that was not for everybody",
        (f"{OWN}::test_datasette_2178_no_label_of_an_edition_shows_a_private_row",),
    ),
    Report(
        "simonw/datasette#1360, GHSA-xw7c-jx9m-xh5g",
        "a trace that put the address into the page",
        (f"{OWN}::test_datasette_1360_no_part_of_an_address_becomes_markup",),
    ),
    Report(
        "simonw/datasette#2359",
        "text of a request reflected",
        (f"{OWN}::test_datasette_2359_no_error_reflects_markup",),
    ),
    Report(
        "simonw/datasette#2868",
        "SQL through a filter, past the permission to run it",
        ("tests/datasette/test_setup.py::test_a_ledger_is_not_served_below_the_floor",),
    ),
    Report(
        "datasette-search-all#16",
        "names of tables told to those who may not see them",
        (
            (
                "tests/datasette/test_setup.py"
                "::test_a_menu_names_the_ledgers_that_may_be_seen_and_no_others"
            ),
        ),
    ),
    # Networks
    Report(
        "xelektron/token-enhancer#4",
        "an address checked, then looked up again and fetched",
        (
            (
                f"{HERE}/test_contacts.py"
                "::test_token_enhancer_4_no_command_contacts_an_address_that_a_result_names"
            ),
            f"{HERE}/test_contacts.py::test_a_redirect_to_a_private_address_is_not_followed",
        ),
    ),
    Report(
        "headroom#3284",
        "16 kB of zstd that became 512 MB",
        (
            f"{HERE}/test_answers.py::test_an_attack_ends_as_what_it_is_within_its_bounds",
            "tests/providers/test_http.py::TestBodies::test_other_bodies_are_bad_responses",
        ),
    ),
    # Providers
    Report(
        "deedy5/ddgs#478, deedy5/ddgs#265, langchain-community#140, smolagents#738,"
        " open-webui/open-webui#15562",
        "a limit that could not be told from an empty answer",
        (
            "tests/providers/test_ddgs.py::test_a_failure_is_never_an_empty_page",
            "tests/providers/test_registry.py::TestChoice::test_nothing_is_chosen_silently",
        ),
    ),
    Report(
        "ihor-sokoliuk/mcp-searxng#262, ihor-sokoliuk/mcp-searxng#263,"
        " NousResearch/hermes-agent#104030, felladrin/MiniSearch#2409, felladrin/MiniSearch#2412,"
        " searx/searx#2053",
        "every engine failed and nothing was said to be found",
        (
            (
                f"{CONTRACT}::TestSearXNG"
                "::test_mcp_searxng_262_all_engines_blocked_is_a_failure_not_an_empty_answer"
            ),
            (
                f"{CONTRACT}::TestSearXNG"
                "::test_hermes_agent_104030_any_reason_in_any_language_is_a_failure"
            ),
            (
                f"{CONTRACT}::TestSearXNG"
                "::test_minisearch_2409_a_true_empty_beside_one_timeout_counts_as_a_failure"
            ),
        ),
    ),
    Report(
        "open-webui/open-webui#2824, open-webui/open-webui#7539, langgenius/dify#6777,"
        " searxng/searxng#3749, atomic-agents#82",
        "a format that is off, told as being forbidden",
        (f"{CONTRACT}::TestSearXNG::test_open_webui_2824_a_403_names_the_setting_to_change",),
    ),
    Report(
        "searxng/searxng#5186, searxng-docker#55, morphic#464, langchain#2251, llm-space#151",
        "refused for missing headers; an address forged to pass",
        (
            (
                f"{CONTRACT}::TestSearXNG"
                "::test_searxng_5186_the_headers_that_its_limiter_asks_for_are_sent"
            ),
            f"{CONTRACT}::TestSearXNG::test_searxng_5186_no_address_is_forged",
        ),
    ),
    Report(
        "open-webui/open-webui#2797",
        "a page in place of JSON told as a fault of the parser",
        (
            (
                f"{CONTRACT}::TestBrokenAnswers"
                "::test_open_webui_2797_html_instead_of_json_is_named_and_shown"
            ),
        ),
    ),
    Report(
        "CherryHQ/cherry-studio#2201, assafelovic/gpt-researcher#1263, THU-MAIC/OpenMAIC#119,"
        " inspect_ai#3255",
        "a query beyond the service's limit",
        (
            (
                f"{CONTRACT}::TestTavily"
                "::test_cherry_studio_2201_a_topic_over_the_limit_is_refused_before_it_is_sent"
            ),
            f"{CONTRACT}::TestTavily::test_gpt_researcher_1263_a_too_long_answer_is_not_a_crash",
        ),
    ),
    Report(
        "brave-search-mcp-server#162, brave-search-mcp-server#238, brave-search-mcp-server#336,"
        " open-webui/open-webui#15134, open-webui/open-webui#20255, chatwise#1296,"
        " modelcontextprotocol/servers#596",
        "parallel calls beyond one a second",
        (
            f"{OWN}::test_brave_search_mcp_server_162_processes_take_turns_through_the_ledger",
            (
                f"{CONTRACT}::TestBrave"
                "::test_open_webui_15134_the_first_number_of_the_reset_is_the_wait"
            ),
            (
                f"{CONTRACT}::TestBrave"
                "::test_open_webui_15134_a_short_wait_is_waited_and_the_search_succeeds"
            ),
        ),
    ),
    Report(
        "assafelovic/gpt-researcher#1047",
        "a limit told as an empty result",
        (
            (
                f"{CONTRACT}::TestReports"
                "::test_gpt_researcher_1047_a_429_is_a_failure_not_an_empty_answer"
            ),
        ),
    ),
    Report(
        "serpapi-python#16, groktocrawl#213",
        "a quota used up told as a limit for now",
        (
            (
                f"{CONTRACT}::TestBrave"
                "::test_groktocrawl_213_a_used_up_month_is_a_quota_until_it_is_reset"
            ),
            "tests/providers/test_http.py::TestCoolingDown::test_a_quota_rests_for_an_hour",
        ),
    ),
    Report(
        "AtomicBot-ai/atomic-agent#179",
        "a silent slide to a weaker service",
        (
            f"{CONTRACT}::TestExa::test_atomic_agent_179_a_429_with_only_an_error_is_a_rate_limit",
            (
                "tests/providers/test_registry.py::TestFallback"
                "::test_the_next_one_is_asked_after_a_failure_and_named"
            ),
        ),
    ),
    Report(
        "open-gsd/gsd-core#308, open-gsd/gsd-core#387, dart-lang/pub#3426",
        "no deadline; a call repeated that had timed out",
        (
            f"{CONTRACT}::TestTime::test_gsd_core_308_a_slow_drip_ends_at_the_deadline",
            f"{CONTRACT}::TestTime::test_gsd_core_308_a_read_timeout_is_not_tried_again",
        ),
    ),
    Report(
        "NousResearch/hermes-agent#36776, NousResearch/hermes-agent#68096",
        "a library that hangs and can't be interrupted",
        ("tests/providers/test_ddgs.py::test_a_package_that_hangs_is_killed",),
    ),
    Report(
        "cymoo/lovia#43, TabbyML/pochi#1394",
        "an error rendered as no results; an empty answer as an error",
        (
            "tests/test_cli.py::test_a_failed_search_exits_4_or_5_and_is_never_told_as_empty",
            "tests/test_cli.py::test_an_empty_search_exits_3",
        ),
    ),
    Report(
        "searxng/searxng#6375, searxng/searxng#6378",
        "tags of a service in its snippets",
        (f"{CONTRACT}::TestBrave::test_searxng_6375_tags_in_a_snippet_are_taken_out",),
    ),
    Report(
        "wecode-ai/Wegent#3556, encode/httpx#360",
        "a network range in NO_PROXY ended the program",
        (
            (
                "tests/providers/test_http.py::TestEnvironment"
                "::test_no_proxy_stands_before_this_machine"
            ),
            (
                "tests/providers/test_http.py::TestEnvironment"
                "::test_an_unusable_environment_is_a_configuration_failure"
            ),
        ),
    ),
    Report(
        "gpt-researcher on AT&T, langchain on paths",
        "a topic that changed on its way into an address",
        (
            f"{CONTRACT}::TestReports::test_gpt_researcher_at_t_a_topic_arrives_as_it_was_written",
            "tests/providers/test_adapters.py::TestTopics::test_any_topic_arrives_unchanged",
        ),
    ),
)
