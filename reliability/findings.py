"""What was found by trying to break corral, and the test that keeps it mended."""

from __future__ import annotations

from typing import NamedTuple


class Finding(NamedTuple):
    """A fault that was found.

    Attributes
    ----------
    found_by : str
    what : str
        What was wrong, as a user would see it.
    test : str
        ``file::test`` that fails without the mend.
    """

    found_by: str
    what: str
    test: str


FINDINGS = (
    Finding(
        "input changed while read",
        "A Parquet file that changed between counting and writing, with as many rows as "
        "before, was written with empty labels, and nothing said so. It is refused.",
        "tests/tables/test_vote_files.py::"
        "test_a_file_that_changes_while_it_is_read_is_refused",
    ),
    Finding(
        "input changed while read",
        "An input that was deleted meanwhile raised an error of DuckDB, or of Python, "
        "which is not one of corral's.",
        "tests/tables/test_vote_files.py::"
        "test_a_file_that_changes_while_it_is_read_is_refused",
    ),
    Finding(
        "kill -9",
        "Two reports of one file differed in the last bits, and so in the rows they "
        "showed: DuckDB's threads gave the patterns in another order each time.",
        "tests/tables/test_engines.py::test_patterns_are_sorted_so_that_sums_have_the_same_bits",
    ),
    Finding(
        "little memory",
        "Where the system gave no memory for a thread, the command called it a fault of "
        "corral.",
        "tests/cli/test_app.py::test_too_little_memory_is_no_fault_of_corral",
    ),
    Finding(
        "little memory",
        "Where a library could not be loaded for lack of memory, it did so, too.",
        "tests/cli/test_app.py::test_too_little_memory_is_no_fault_of_corral",
    ),
    Finding(
        "little memory",
        "A project with a regular expression was called damaged where there was no memory "
        "to try the expression.",
        "tests/functions/test_by_regex.py::"
        "test_too_little_memory_is_no_fault_of_the_pattern",
    ),
    Finding(
        "little memory",
        "Where Python had no memory to run a thread of DuckDB's, the command waited for it "
        "forever.",
        "tests/tables/test_duckdb_work.py::"
        "test_a_thread_that_python_cannot_run_is_not_waited_for",
    ),
    Finding(
        "Ctrl-C",
        "A Ctrl-C while the command loaded a part of SciPy that it loads late was "
        "forgotten by Python's own imports: the command went on with half of it, or called "
        "that a fault of corral.",
        "tests/cli/test_late_imports.py::"
        "test_an_interrupt_while_it_is_loaded_is_not_forgotten",
    ),
    Finding(
        "Ctrl-C",
        "In the workbench, in regular expressions and in relations of DuckDB, Ctrl-C could "
        "come out as an error of DuckDB, and not as KeyboardInterrupt.",
        "tests/tables/test_duckdb_work.py::test_what_duckdb_makes_of_an_interrupt",
    ),
    Finding(
        "Ctrl-C",
        "A Ctrl-C while Python cleaned up behind an object was printed and forgotten: the "
        "command went on. It comes again.",
        "tests/cli/test_app.py::test_an_interrupt_that_python_ignores_is_repeated",
    ),
    Finding(
        "Ctrl-C",
        "One that came while a thread of DuckDB was started waited for all of its work.",
        "tests/tables/test_duckdb_work.py::"
        "test_an_interrupt_while_the_thread_begins_stops_its_work",
    ),
    Finding(
        "Ctrl-C",
        "One between making a draft and noting its name, or while it was deleted, left it "
        "behind.",
        "tests/storage/test_drafts.py::"
        "test_an_interrupt_while_a_draft_is_made_leaves_none",
    ),
    Finding(
        "full disk",
        "`corral rank --output` and `JudgeAnswers.write` wrote over the old file, so that "
        "a full disk or a kill left half of a new one.",
        "tests/cli/test_rank.py::test_a_full_disk_leaves_the_old_drawing",
    ),
    Finding(
        "full disk",
        "Answers of a language model that were cut off by a full disk were gone on with in "
        "the same line, after which the file of answers was refused.",
        "tests/functions/test_by_llm.py::test_a_full_disk_leaves_no_half_line",
    ),
    Finding(
        "hostile files",
        "A file of options that is nested thousands deep ended in what the command calls "
        "a fault of its own.",
        "tests/cli/test_config.py::test_what_is_refused",
    ),
    Finding(
        "hostile files",
        "Texts that a spreadsheet runs as formulas could only be warned of; "
        "`--escape-formulas` makes them plain.",
        "tests/cli/test_files.py::test_formulas_can_be_escaped",
    ),
    Finding(
        "hostile options",
        "A file of options with one key of 20,000 parts took half a minute to refuse; a "
        "number of 100,000 digits was called a fault of corral.",
        "tests/cli/test_config.py::test_files_that_take_for_ever_are_refused",
    ),
    Finding(
        "hostile archives",
        "A zip of annotations whose entry lied about its size took two gigabytes; a gzip "
        "of a megabyte that is one line took one, as votes, as judges or as word vectors.",
        "tests/storage/test_bounded_lines.py::test_a_packed_file_that_explodes_is_refused",
    ),
    Finding(
        "hostile archives",
        "Names of entries of a zip of word vectors reached the terminal as they were.",
        "tests/features/test_vector_file.py::"
        "test_names_of_entries_are_shown_and_not_run",
    ),
    Finding(
        "hostile archives",
        "An encrypted zip of word vectors ended in an error of Python.",
        "tests/features/test_vector_file.py::test_an_encrypted_entry_is_refused",
    ),
    Finding(
        "hostile projects",
        "A history that somebody wrote into a project, once undone, led to classes or "
        "sections that are not there, and to an error of Python.",
        "tests/workbench/test_project.py::test_a_history_that_leads_nowhere_is_refused",
    ),
    Finding(
        "hostile projects",
        "A project that is a pipe or a device was read without end; one that is a link to "
        "nothing made a file elsewhere.",
        "tests/workbench/test_project.py::test_a_project_that_is_no_file_is_refused",
    ),
    Finding(
        "hostile projects",
        "A word of a megabyte or a pattern of thousands of brackets in a project ended in "
        "an error of DuckDB, or took minutes.",
        "tests/workbench/test_rules.py::test_rules_have_limits",
    ),
    Finding(
        "hostile projects",
        "100,000 rules in a project took minutes. More than 1,000 are refused.",
        "tests/workbench/test_project.py::test_a_project_of_too_many_rules_is_refused",
    ),
    Finding(
        "hostile projects",
        "The title of a workbench's page had the name of the data as it is, with "
        "characters that turn its direction.",
        "tests/workbench/server/test_pages.py::test_the_name_of_the_data_is_visible",
    ),
    Finding(
        "hostile tables",
        "JSON lines that are nested deeply were called a fault of corral.",
        "tests/cli/test_label.py::test_json_lines_that_are_nested_deeply_are_refused",
    ),
    Finding(
        "hostile tables",
        "A table with a column in which nothing stands ended in what the command calls a "
        "fault of corral, after it had been labelled.",
        "tests/cli/test_label.py::test_a_signal_that_never_votes_is_shown",
    ),
    Finding(
        "hostile tables",
        "100,000 columns took DuckDB minutes. They are refused, with what to do instead.",
        "tests/tables/test_csv_files.py::test_too_many_columns_are_refused",
    ),
    Finding(
        "hostile names",
        "An explanation printed names of signals and classes as they are, with what a "
        "terminal runs.",
        "tests/labelers/test_explanation.py::test_names_are_shown_and_not_run",
    ),
    Finding(
        "hostile names",
        "A name of 10,000 characters took a drawing half a minute.",
        "tests/drawings/test_svg.py::"
        "test_a_name_of_ten_thousand_characters_is_cut_in_few_steps",
    ),
    Finding(
        "hostile names",
        "Formulas could not be escaped in files of `panel`, `advise` and the workbench.",
        "tests/workbench/test_workbench.py::test_formulas_can_be_escaped_in_exports",
    ),
    Finding(
        "hostile names",
        "Formulas that begin with a line break or a full-width sign were not known.",
        "tests/tables/test_spreadsheet_formulas.py::"
        "test_a_formula_may_begin_with_a_line_break_or_a_full_width_sign",
    ),
    Finding(
        "hostile caches",
        "A link in a folder of `cache=` was followed when answers were written, to a file "
        "elsewhere.",
        "tests/functions/test_answer_cache.py::test_a_link_in_a_cache_is_not_followed",
    ),
    Finding(
        "hostile caches",
        "A damaged cache of word vectors ended in an error of NumPy.",
        "tests/features/test_vector_file.py::test_a_damaged_cache_is_refused",
    ),
    Finding(
        "hostile judges",
        "Log-probabilities of thousands of digits, and lines that are nested deeply, ended "
        "in errors of Python.",
        "tests/judges/test_read_judges.py::test_hostile_lines_are_refused",
    ),
    Finding(
        "versions",
        "pyproject.toml promised older libraries than work: with the oldest NumPy, DuckDB, "
        "narwhals, Polars, joblib and Typer that it allowed, commands ended in a fault of "
        "corral, or votes were read otherwise. The lower limits are now what passes the "
        "tests.",
        "reliability/versions.py::run_versions",
    ),
    Finding(
        "versions",
        "SciPy 1.13 does not add up repeated cells unless asked to: a worker who answers a "
        "task twice was not refused, and one-vs-rest signals were said to change other "
        "labels than they do.",
        "tests/signals/test_vote_matrix.py::test_repeated_cells_are_added_up",
    ),
    Finding(
        "long load",
        "Edits in the workbench, which wait for each other, took the threads that answer "
        "everything else: of fifty clients, those who only looked at rows waited for the "
        "edits of the others.",
        "tests/workbench/server/test_load.py::test_who_looks_does_not_wait_for_acts",
    ),
    Finding(
        "long load",
        "An export of the report, while somebody else typed, could take the warnings of "
        "their fit, which the page shows, or print its own in the terminal.",
        "tests/workbench/test_workbench.py::"
        "test_a_report_is_made_while_no_other_fit_catches_warnings",
    ),
    Finding(
        "large numbers",
        "Adagrad on 10,000 signals and 1,000 classes ended in a MemoryError. It is "
        "refused, with what to do instead.",
        "tests/solvers/test_adagrad.py::test_more_steps_than_can_be_kept_are_refused",
    ),
    Finding(
        "large numbers",
        "Greatest entropy of 1,000 classes took minutes: curvature was summed class by "
        "class. Votes are compared instead.",
        "tests/constraints/test_designs.py::"
        "test_joint_gram_of_many_classes_equals_the_sum_over_classes",
    ),
    Finding(
        "fuzz: judge files",
        "A list among `classes=` ended in a TypeError, in `corral.label` and wherever else "
        "classes are named.",
        "tests/signals/test_coding.py::test_refused",
    ),
    Finding(
        "fuzz: judge files",
        "`corral.read_judges` with no classes, an empty list, ended in an IndexError.",
        "tests/judges/test_read_judges.py::test_options_that_are_refused",
    ),
    Finding(
        "fuzz: judge files",
        "A line of judges' answers that is nested thousands deep ended in a "
        "RecursionError.",
        "tests/judges/test_read_judges.py::"
        "test_a_line_that_is_nested_thousands_deep_is_refused",
    ),
    Finding(
        "fuzz: panels",
        "`corral.panel` with a level that is 0 or 1 as rounded divided zero by zero: a "
        "warning of NumPy's, and intervals of NaN.",
        "tests/panels/test_assisted.py::test_levels_that_are_rounded_to_nothing_or_all",
    ),
    Finding(
        "fuzz: comparisons",
        "Strengths per slice had no prior of their own: of an item that always wins they "
        "grew with every round, until `corral.preferences` ended in a LinAlgError.",
        "tests/ranking/test_slices.py::"
        "test_the_prior_bounds_an_item_that_always_wins_in_slices_too",
    ),
    Finding(
        "fuzz: comparisons",
        "A list in a column of a table of comparisons ended in a TypeError.",
        "tests/ranking/test_read_comparisons.py::test_lists_in_a_column_are_refused",
    ),
    Finding(
        "Ctrl-C",
        "Ctrl-C while an array was written into a model or a cache: closing the archive "
        "failed, and the command called that a fault of its own.",
        "tests/storage/test_archive.py::test_ctrl_c_amid_an_array_is_heard_after_it",
    ),
    Finding(
        "long load",
        "Every export of labels or votes from a workbench left a table in memory, half a "
        "megabyte for 5,000 rows.",
        "tests/tables/test_vote_files.py::"
        "test_nothing_stays_in_memory_of_what_was_written",
    ),
    Finding(
        "fuzz: end models",
        "Soft labels of one class ended in an error of the classifier's that named the "
        "class by a number that nobody had given. It is named as in the labels.",
        "tests/end_models/test_soft_label_classifier.py::"
        "test_labels_of_one_class_are_refused_by_its_name",
    ),
    Finding(
        "fuzz: weights of examples",
        "The default ignored `sample_weight` where it looks how sure a soft signal usually "
        "is, so that a row of weight two was not two rows: labels were 0.01 apart.",
        "tests/error_rates/test_confidence.py::test_weights_are_rows_that_are_repeated",
    ),
    Finding(
        "fuzz: silent rows",
        "The page said that examples without votes move labels of solvers with slack by "
        "less than 0.01; it was 0.09 for few examples. What holds exactly is checked "
        "instead: they are so much less slack.",
        "tests/reliability/test_fuzz.py::test_what_must_hold_holds",
    ),
    Finding(
        "guided: word vectors",
        "A file of word vectors whose first line is empty ended in a ValueError of "
        "NumPy's.",
        "tests/features/test_vector_file.py::test_refused_and_nothing_is_left",
    ),
    Finding(
        "fuzz: engines agree",
        "A CSV file with a line break in the name of a column, written otherwise than the "
        "ends of its lines, as spreadsheets do, was said to have no rows; beside other "
        "files it was left out, and nothing said so. It is refused with the reason.",
        "tests/tables/test_csv_files.py::test_other_line_breaks_in_a_name_are_refused",
    ),
    Finding(
        "input changed while read",
        "A report of a Parquet file that changed meanwhile could show rows of one version "
        "with labels of another. It is refused.",
        "tests/tables/test_vote_files.py::test_a_report_is_of_one_version_of_a_file",
    ),
    Finding(
        "versions",
        "With NumPy 2.5 the numbers of arrays in a saved model were no longer checked "
        "against what its class says.",
        "tests/storage/test_dataclass_encoding.py::"
        "test_fields_must_be_what_their_class_says",
    ),
    Finding(
        "fuzz: printed",
        "`tie_share_` was refused where soft signals find classes as likely. It is NaN.",
        "tests/labelers/test_baselines.py::test_ties_of_no_covered_example",
    ),
    Finding(
        "fuzz: weights of examples",
        "Votes took weights that are zero on every example with a vote; an array of the "
        "other examples was refused.",
        "tests/labelers/test_contract.py::test_weights_that_leave_no_votes_are_refused",
    ),
    Finding(
        "fuzz: advice",
        "`value_of_signal` was refused where the other signals say one half only.",
        "tests/advice/test_signal_values.py::test_what_is_left_says_one_half",
    ),
    Finding(
        "fuzz: comparisons",
        "The smallest number as `prior` of `preferences` raised an OverflowError.",
        "tests/ranking/test_read_comparisons.py::test_options_that_are_refused",
    ),
    Finding(
        "fuzz: comparisons",
        "Intervals of `preferences` of the largest level below one had no ends.",
        "tests/ranking/test_uncertainty.py::"
        "test_intervals_of_nearly_all_there_is_have_ends",
    ),
    Finding(
        "fuzz: comparisons",
        "Strengths per slice without a prior ended in a singular matrix, not a message.",
        "tests/ranking/test_slices.py::"
        "test_slices_in_which_strengths_have_no_end_need_a_prior",
    ),
    Finding(
        "fuzz: end models",
        "Balanced weights of a class of next to no weight overflowed.",
        "tests/end_models/test_soft_label_classifier.py::"
        "test_a_class_of_next_to_no_weight_is_not_balanced_to_infinity",
    ),
    Finding(
        "fuzz: workbench previews",
        "A threshold of a whole number past 64 bits raised a TypeError.",
        "tests/functions/test_by_threshold.py::"
        "test_limits_may_be_larger_than_integers_of_arrays",
    ),
    Finding(
        "fuzz: comparisons",
        "A level in single precision made the result of `preferences` no JSON.",
        "tests/ranking/test_preferences_result.py::"
        "test_a_level_in_single_precision_is_a_plain_number",
    ),
    Finding(
        "fuzz: engines agree",
        "A CSV file with more semicolons in a quoted name than commas between names was "
        "said to have no rows.",
        "tests/tables/test_csv_files.py::test_delimiters_within_quotes_are_none",
    ),
    Finding(
        "fuzz: known balance",
        "A `class_balance` with a share that is one but for rounding leaked a warning of "
        "NumPy, and the likelihood was no number. It is refused.",
        "tests/labelers/test_data_programming.py::test_refused",
    ),
    Finding(
        "fuzz: annotation files",
        "What an answer of Prodigy accepts became a class even if no option offers it, and "
        "suggestions were written that their task does not offer.",
        "tests/exchange/test_other_tools.py::"
        "test_prodigy_answers_are_among_their_options",
    ),
    Finding(
        "fuzz: end models",
        "Soft labels that add up to next to nothing were trained on, and leaked a warning "
        "of SciPy.",
        "tests/end_models/test_soft_label_classifier.py::test_refused",
    ),
    Finding(
        "fuzz: damaged tables",
        "A damaged Parquet file, of which DuckDB reads other votes each time, was written "
        "with rows without labels, and nothing said so. It is refused.",
        "tests/tables/test_vote_files.py::"
        "test_a_row_with_votes_that_were_not_counted_is_refused",
    ),
    Finding(
        "fuzz: engines agree",
        "A column of a CSV file that says nothing but `none` was no signal, even where "
        "that is a class.",
        "tests/tables/test_csv_files.py::test_a_column_of_nothing_but_a_class_named_none",
    ),
    Finding(
        "fuzz: order of signals",
        "`Agreement` found other rates where signals came in another order, if several "
        "explain the agreement.",
        "tests/error_rates/test_agreement.py::"
        "test_the_order_of_signals_does_not_choose_among_optima",
    ),
    Finding(
        "fuzz: judge files",
        "Verdicts that are texts and numbers such as 4.0 raised a KeyError.",
        "tests/judges/test_read_judges.py::test_classes_may_be_texts_and_numbers",
    ),
    Finding(
        "fuzz: names of classes",
        "A class whose name ends in a NUL character lost it, so that two could be one.",
        "tests/signals/test_coding.py::test_refused",
    ),
    Finding(
        "review",
        "A multi-label task was refused as a whole where nothing votes on one of its "
        "classes but examples without a weight, or by one half.",
        "tests/labelers/test_multilabel.py::"
        "test_a_class_without_votes_leaves_the_others",
    ),
    Finding(
        "review",
        "A Ctrl-C just before a draft is deleted left it behind.",
        "tests/storage/test_drafts.py::"
        "test_an_interrupt_before_it_can_be_held_leaves_no_draft",
    ),
    Finding(
        "review",
        "While DuckDB did not react to a Ctrl-C, all further ones were swallowed.",
        "tests/tables/test_duckdb_work.py::"
        "test_who_interrupts_again_gets_out_of_work_that_does_not_stop",
    ),
)
