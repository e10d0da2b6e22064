// The requests of the page's scripts, from requests.py, and the answers, from answers.py.
// Written by `python -m dev.scripts.write_server_types`.

// prettier-ignore
declare namespace Server {
  type Ask<Q, A> = (asked: Q) => Promise<A | Refusal>;
  interface Functions {
    progress: Ask<Request, TestSet | Comparison | Review | Running>;
    stop: Ask<Request, Nothing>;
    sort_files: Ask<SortRequest, SortedFiles>;
    open_result: Ask<KeptRequest, Result>;
    read_documents: Ask<KeptRequest, Listing>;
    view_documents: Ask<ViewRequest, View>;
    read_document: Ask<DocumentRequest, Document>;
    read_pdf: Ask<PdfRequest, Pdf>;
    read_rows: Ask<RowsRequest, Text>;
    read_pair: Ask<DocumentRequest, PairSides>;
    score_workspace: Ask<PairRequest, PairAnswer>;
    try_options: Ask<PairRequest, WhatIfs>;
    stop_workspace: Ask<Request, Nothing>;
    open_link: Ask<LinkRequest, PairRequest>;
    score_files: Ask<FileRequest, TestSet | Running>;
    try_remedy: Ask<RemedyRequest, Text>;
    compare_files: Ask<CompareRequest, Comparison | Running>;
    try_remedies: Ask<RemedyRequest, Text>;
    open_document: Ask<SideBySideRequest, SideBySide>;
    begin_review: Ask<ReviewRequest, Review | Running>;
    score_verdicts: Ask<VerdictsRequest, Gains>;
    export_review: Ask<ExportRequest, ReviewFile>;
    estimate_review: Ask<VerdictsRequest, EstimatedLoss>;
    compare_readers: Ask<ReadersRequest, ReadersAgreement>;
    read_beside: Ask<DocumentRequest, Beside>;
  }
  type Kind = "input" | "busy" | "limit" | "stopped" | "replaced" | "gone" | "failed" | "silent";
  /** Replaces an answer. The page's scripts say "silent" if the server gave no answer. */
  interface Refusal {
    refused: string;
    kind: Kind;
  }
  type Window = [string, number];
  /**
   * A request from a browser.
   *
   * Attributes:
   *     window: the name that the window gives itself ("" for none), and the number of its request; newer requests have
   *         higher numbers.
   */
  interface Request {
    window?: Window;
  }
  /** How values are compared: the options in `WHAT_IFS`, and a JSON Schema as text, "" for none. */
  interface SchemaOptions {
    threshold: number;
    ignore_case: boolean;
    numbers: string;
    normalise: boolean;
    donut: boolean;
    rules: string;
    schema?: string;
  }
  type Reading = Record<string, string | null>;
  /** Parts of a request that would score higher. */
  interface Changes {
    what_if?: Partial<SchemaOptions>;
    reading?: Reading;
  }
  /** A button that scores again with changed options. */
  interface Remedy {
    label: string;
    options: Changes;
  }
  /** The largest cause, and its words in the title. */
  interface Lead {
    cause: string;
    words: string;
  }
  /** Where points were lost, and what helps. */
  interface Headline {
    title: string;
    text: string;
    remedy: Remedy | null;
    lead: Lead | null;
  }
  /** The rows of a list in all documents. */
  interface ListSum {
    field: string;
    lists: number;
    expected: number;
    predicted: number;
    paired: number;
    precision: number | null;
    recall: number | null;
    right: number;
    cut_off: number;
    cut_rows: number;
    cut_points: number;
  }
  /** The documents with one value of the column of slices; `lost` is a sum over them. */
  interface Slice {
    value: string;
    documents: number;
    score: number;
    ends: [number, number] | null;
    lost: number;
  }
  type Level = "page" | "box";
  /** The figures of regions at one level; shares are null without a predicted value. */
  interface GroundingLevel {
    level: Level;
    precision: number;
    recall: number;
    f1: number;
    right_value_right_region: number | null;
    right_value_other_region: number | null;
    wrong_value_right_region: number | null;
    wrong_value_other_region: number | null;
    cells: number;
    cited: number;
    not_cited: number;
    missing: number;
    not_evaluated: number;
  }
  /** The figures of right values in the right region; `value` is the F1 of values, null without annotated regions. */
  interface Grounding {
    value: number | null;
    levels: GroundingLevel[];
    values: number;
    cited: number;
  }
  /** The documents by their scores. */
  interface HistogramBins {
    edges: number[];
    counts: number[];
  }
  type UploadIfAny = string | null;
  /**
   * A request to score a test set.
   *
   * Attributes:
   *     predictions: the file of predictions.
   *     metrics: the metrics; the first one is the primary metric, on which the page is based.
   *     by: a column of the references whose values make slices; "" for none.
   *     before: the name of a kept result of these files, whose unchanged parts are reused; "" for none.
   */
  interface FileRequest {
    window?: Window;
    reading: Reading;
    skip: boolean;
    references: UploadIfAny;
    what_if: SchemaOptions;
    predictions: string;
    metrics: string[];
    by: string;
    before?: string;
  }
  /** The names of the files of a test set; `references` is null if one file holds both sides. */
  interface FileNames {
    references: string | null;
    predictions: string;
  }
  /** A warning that options resolve. */
  interface ShownWarning {
    text: string;
    buttons: Remedy[];
  }
  /** A reading option that was used, in words. */
  interface Taken {
    name: string;
    words: string;
  }
  /** A file that the page offers. */
  interface Download {
    label: string;
    path: string;
  }
  /** The result of a test set; `run` opens it again, and `example` says whether it is the unmodified example. */
  interface TestSet {
    score: number;
    low: number | null;
    high: number | null;
    text: string;
    interval: string;
    label: string;
    range: string;
    headline: Headline;
    what_ifs: Remedy[];
    counts: string[];
    lists: ListSum[];
    slices: Slice[];
    grounding: Grounding | null;
    histogram: HistogramBins;
    intervals: string[];
    run: string;
    example: boolean;
    asked: FileRequest;
    names: FileNames;
    paired: string;
    remedies: ShownWarning[];
    taken: Taken[];
    left_out: string[];
    python: string;
    figures: string;
    downloads: Download[];
  }
  type CostColumn = "cost" | "seconds" | "tokens";
  /** A sum over the documents, or a note why there is none. */
  interface Cost {
    total: number | null;
    note: string;
  }
  /** A system. */
  interface System {
    score: number;
    low: number | null;
    high: number | null;
    text: string;
    interval: string;
    name: string;
    lost: string;
    costs: Partial<Record<CostColumn, Cost>>;
    counts: string[];
  }
  /** Which system leads, whether that is proven, what the lead consists of, and the scores with other options. */
  interface Verdict {
    title: string;
    rest: string;
    p: string;
    text: string;
    documents: string[];
    remarks: string[];
    remedies: Remedy[];
  }
  /** The points that a system lost, and the document that lost the most. */
  interface LossCell {
    value: number;
    text: string;
    share: number;
    document: string | null;
  }
  /** Points that systems lost by a cause, which has a label, or by a field. */
  interface LossRow {
    name: string;
    label?: string;
    paths?: string[];
    documents?: number;
    few?: boolean;
    cells: LossCell[];
  }
  /** The scores of the systems on one document. */
  interface DocumentScores {
    id: string;
    scores: string[];
  }
  /** The difference between a system and one with a lower score. */
  interface Pair {
    first: string;
    second: string;
    difference: number;
    low: number | null;
    high: number | null;
    better: number;
    worse: number;
    p: string;
    proven: boolean;
  }
  /**
   * A request to compare systems whose predictions are all read in the same way.
   *
   * Attributes:
   *     predictions: one file per system.
   *     names: the names of the systems; "" for the name of the file.
   *     parse: how to read text predictions as JSON, instead of what `reading` or a guess says.
   *     missing: the treatment of ground truths without a prediction.
   *     metric: the primary metric, on which the page is based.
   */
  interface CompareRequest {
    window?: Window;
    reading: Reading;
    skip: boolean;
    references: UploadIfAny;
    what_if: SchemaOptions;
    predictions: string[];
    names: string[];
    parse: string | null;
    missing: string;
    metric: string;
  }
  /** A file that the page offers by its name. */
  interface NamedDownload {
    label: string;
    path: string;
    name: string;
  }
  /** The result of a comparison; `run` opens it again. */
  interface Comparison {
    systems: System[];
    verdict: Verdict;
    ties: [number, number][];
    causes: LossRow[];
    fields: LossRow[];
    field_count: number;
    documents: DocumentScores[];
    pairs: Pair[];
    note: string;
    signature: string;
    run: string;
    asked: CompareRequest;
    count: number;
    remedies: ShownWarning[];
    taken: Taken[];
    left_out: string[];
    python: string;
    downloads: NamedDownload[];
  }
  /**
   * A request for a review of a comparison, or of one system.
   *
   * Attributes:
   *     sample: how many places of one system are sampled by lost points; 0 for all places of all systems.
   *     sample_of: the name of the sampled system.
   *     verdicts: a file of verdicts with which to continue; None for none.
   *     texts: a file with an object that holds the texts of documents by their ids; None for none.
   */
  interface ReviewRequest {
    window?: Window;
    reading: Reading;
    skip: boolean;
    references: UploadIfAny;
    what_if: SchemaOptions;
    predictions: string[];
    names: string[];
    parse: string | null;
    missing: string;
    metric: string;
    sample: number;
    sample_of: string;
    verdicts: UploadIfAny;
    texts: UploadIfAny;
  }
  /** A reviewed system. */
  interface ReviewedSystem {
    name: string;
    score: number;
    text: string;
  }
  type Found = "yes" | "no" | "";
  /** A value that systems, which are numbers, predict; null if they predict none. */
  interface PredictedValue {
    similarity: string;
    marked: [string, boolean][][];
    systems: number[];
    text: string | null;
    found: Found;
  }
  type PlaceIdentity = [string, string, [number | null, string, number] | null, number | null];
  /** An item of a review. */
  interface Place {
    path: string;
    row: number | null;
    judged: string;
    reference: number | null;
    group: string;
    about: string;
    agree: number;
    of: number;
    drawn: number;
    points: number[];
    whole: boolean;
    has_text: boolean;
    by_value: boolean;
    truth: string | null;
    edit: string | null;
    found: Found;
    answers: PredictedValue[];
    document: number;
    id: string;
    identity: PlaceIdentity;
  }
  /** A verdict on a place, which is a number. */
  interface ShownVerdict {
    number: number;
    verdict: string;
    answer: number;
    value: string;
  }
  /** The verdicts of a file that still apply, and how many these are in words. */
  interface DecidedBefore {
    verdicts: ShownVerdict[];
    note: string;
  }
  /** A review of ground truths; `run` opens it again. */
  interface Review {
    run: string;
    asked: ReviewRequest;
    fingerprint: string;
    count: number;
    systems: ReviewedSystem[];
    sampled: number | null;
    places: Place[];
    decided: DecidedBefore | null;
    left_out: string[];
    python: string;
  }
  /** Replaces the result while a run goes on. */
  interface Running {
    running: true;
    share: number;
    text: string;
  }
  /** The answer to a request that only stops something. */
  interface Nothing {
  }
  /**
   * A request to find out which uploaded file holds the ground truths, and how to read the rows.
   *
   * Attributes:
   *     files: the files, in any order.
   *     truth: the number of the file with the ground truths; None if that is the question; -1 if the rows of
   *         predictions hold them.
   *     is_pair: whether the files are the two sides of one test set, or one file with both; else they are many systems.
   *     missing: the treatment of ground truths without a prediction, unless `reading` has it.
   */
  interface SortRequest {
    window?: Window;
    reading: Reading;
    skip: boolean;
    files: string[];
    truth: number | null;
    is_pair: boolean;
    missing: string;
  }
  /** An uploaded file: its rows and the names of its columns, or its error. */
  interface FileFacts {
    name: string;
    rows?: number;
    columns?: string[];
    fault?: string;
  }
  /**
   * Which of several files holds the ground truths, and how the files are read.
   *
   * Attributes:
   *     truth: the number of that file; null if it is unknown or files hold both sides.
   *     both: whether each file holds both sides.
   *     unsure: whether the visitor has to choose.
   *     html: how the rows are read; "" if that is unknown or, for several systems, needs no words.
   *     blocked: whether scoring would refuse the rows.
   */
  interface SortedFiles {
    truth: number | null;
    both: boolean;
    unsure: boolean;
    files: FileFacts[];
    html: string;
    blocked: boolean;
  }
  /** A request about a result that the server keeps. */
  interface KeptRequest {
    window?: Window;
    run: string;
  }
  type Result = TestSet | Comparison | Review;
  /** All documents of a test set: their names, scores, and the names of their images. */
  interface Listing {
    names: string[];
    scores: string[];
    images: string[];
    note: string;
  }
  type Share = "right_value_right_region" | "right_value_other_region" | "wrong_value_right_region" | "wrong_value_other_region" | "missing";
  /**
   * A request for the documents of a result to show, and for their order.
   *
   * Attributes:
   *     cause, field: the documents lost points by this cause or field; None for any.
   *     within: the documents lost points in rows of this list; None for any.
   *     slice: the documents have this value in the column of slices; None for any.
   *     find: a text in the ids or values of the documents.
   *     low, high: the range of their scores.
   *     sort: the order of the documents.
   *     share: the documents have values of this kind, one of `SHARES`; None for any.
   *     level: page or box; decides for `share` whether a region is the right one.
   */
  interface ViewRequest {
    window?: Window;
    run: string;
    cause: string | null;
    field: string | null;
    within?: string | null;
    slice?: string | null;
    find: string;
    low: number;
    high: number;
    sort: string;
    share?: Share | null;
    level?: Level;
  }
  /** A share of documents or of their values, and the count behind it. */
  interface Rate {
    label: string;
    share: string;
    count: string;
  }
  /** Points lost by a cause, with a label and perhaps a specimen, or by a field, with a score. */
  interface Sum {
    name: string;
    title: string;
    points: string;
    share: number;
    documents: string;
    label?: string;
    specimen?: [string | null, string | null] | null;
    score?: string;
  }
  /**
   * The documents that a request selects, and why these, and all documents with its text, lost points.
   *
   * Attributes:
   *     order: the numbers of the documents.
   *     why, lost, title: for each document its largest cause, the points lost by it, and the largest losses by field.
   *     points: their loss in the mean score.
   *     bins: the number of documents per bar of the histogram.
   *     spread: the distribution of scores.
   *     count: the number of documents out of all.
   *     causes, fields: where points were lost, largest first, with the share of the largest.
   *     field_count: the number of fields that lost points, including fields that are not listed.
   */
  interface View {
    order: number[];
    why: string[];
    lost: string[];
    title: string[];
    points: string;
    bins: number[];
    spread: string[];
    rates: Rate[];
    count: string;
    causes: Sum[];
    fields: Sum[];
    nothing: string;
    field_count: number;
  }
  /**
   * A request for a document of a result by its number; with several systems, also by the number of a system.
   *
   * Attributes:
   *     text: the text of the document, in which its values are looked up; "" if it is unknown.
   */
  interface DocumentRequest {
    window?: Window;
    run: string;
    number: number;
    system?: number;
    text?: string;
  }
  type Box = [number, number, number, number];
  /**
   * A region of a document; each part may be absent.
   *
   * Attributes:
   *     page: the page, counted from 1. An invalid citation has a number below 1, which no evidence has.
   *     boxes: the lines of the value on the page.
   *     quote: the text in the region.
   */
  type Region = [page: number | null, boxes: Box[], quote: string | null];
  type Mark = [number, number][];
  /**
   * A row of a rendered tree, with the regions of its value.
   *
   * Attributes:
   *     row, path: its number and its path.
   *     right, predicted, empty: whether a single value with evidence is right or predicted, or its prediction is empty.
   *     levels: how many of its cited regions are accepted, out of how many; null without evidence.
   *     overlap: the IoU of the boxes of both sides.
   *     extra: whether nothing is expected.
   *     outcome: the status of a value that lost points, or "".
   *     found: the positions of the ground truth and of the prediction in the text, null for what no text can show;
   *         empty without a text.
   */
  interface PlacedRow {
    row: number;
    path: string;
    right: boolean;
    predicted: boolean;
    empty: boolean;
    levels: Partial<Record<Level, [number, number]>> | null;
    expected: Region[];
    cited: Region[];
    overlap: number | null;
    extra: boolean;
    outcome: "" | "partial" | "wrong" | "missing" | "extra";
    found: (Mark[] | null)[];
  }
  /**
   * The rows of a list of a tree.
   *
   * Attributes:
   *     whole: how many rows are fully correct.
   *     cut: after how many rows the list was cut off, or 0.
   *     rows: a letter per expected row: "w" for a fully correct row, "m" for a missing row, "d" for a row with a
   *         different value.
   *     numbers: the numbers of the rendered rows.
   */
  interface LongList {
    path: string;
    expected: number;
    predicted: number;
    paired: number;
    whole: number;
    cut: number;
    rows: string;
    numbers: (number | null)[];
  }
  /** A document of a test set: its tree as HTML, and the row, the field and the cause of each loss. */
  interface Document {
    html: string;
    marks: [number, string, string][];
    image: string;
    places: PlacedRow[];
    lists: LongList[];
  }
  /**
   * A request for the PDF of a document, or for one of its pages.
   *
   * Attributes:
   *     run: the result with the document; "" for the document of a pair.
   *     pdf: the file; None to ask whether PDFs are accepted.
   *     page: from 1; 0 for the words of all pages.
   */
  interface PdfRequest {
    window?: Window;
    run: string;
    pdf?: UploadIfAny;
    page?: number;
  }
  /** For each page of a PDF its words with their boxes, and its size; or the image of one page. */
  interface Pdf {
    words: [string, Box][][];
    sizes: [number, number][];
    path: string;
  }
  /** A request for documents of a result by numbers, which are sent as text because lists in requests are limited. */
  interface RowsRequest {
    window?: Window;
    run: string;
    documents: string;
  }
  /** A text, such as a score or rows of JSONL. */
  interface Text {
    text: string;
  }
  /** Both sides of a pair as texts for the editors, and how the prediction is read. */
  interface PairSides {
    truth: string;
    prediction: string;
    reading: string;
  }
  /**
   * A pair of texts to score.
   *
   * Attributes:
   *     truth: the text of the ground truth, JSON.
   *     prediction: the text of the prediction.
   *     reading: how the text of the prediction is read, one of `READINGS`.
   *     metric: one of `PAIR_METRICS`.
   *     options: how values are compared: the options in `WHAT_IFS`, and by "schema" a JSON Schema as text.
   *     text: the text of the document, in which the values are looked up; "" if it is unknown.
   *     is_example: whether the texts began as the first example, possibly edited since.
   *     content: the parts to take out of the values before scoring: options in `CONTENT`.
   */
  interface PairRequest {
    window?: Window;
    truth: string;
    prediction: string;
    reading: string;
    metric: string;
    options: SchemaOptions;
    text?: string;
    is_example?: boolean;
    content?: Reading;
  }
  type Spans = Record<string, [number, number]>;
  type Edit = [number, number, string];
  /** Edits that make a text JSON; if they are not what `parse="repair"` does, they keep only the first value. */
  interface Mend {
    edits: Edit[];
    repairs: boolean;
  }
  /** The error in the text of an editor. */
  interface Fault {
    text: string;
    line: number | null;
    column: number | null;
    mend: Mend | null;
  }
  /**
   * The answer to a pair.
   *
   * Attributes:
   *     faults: for each editor its error, or null.
   *     edits: the changes to the prediction that reading required.
   *     is_example: whether most of the first example is unchanged.
   */
  interface PairAnswer {
    note: string;
    result: string;
    raw: string;
    python: string;
    spans: Spans[];
    places: PlacedRow[];
    faults: (Fault | null)[];
    edits: Edit[];
    is_example: boolean;
    taken: Taken[];
  }
  /** The options that raise the score of a pair, and the warnings that options resolve. */
  interface WhatIfs {
    what_ifs: Remedy[];
    remedies: ShownWarning[];
  }
  /** The content of a link to a pair. */
  interface LinkRequest {
    window?: Window;
    link: unknown;
  }
  /** A request for the score of a result with the option of a button; buttons are numbered over all warnings. */
  interface RemedyRequest {
    window?: Window;
    run: string;
    button: number;
  }
  /** A request for a document in all systems, by its displayed id; `text` is its text. */
  interface SideBySideRequest {
    window?: Window;
    run: string;
    document: string;
    text?: string;
  }
  /** A document in all systems, best first: its number, and the regions of each system by the numbers of rows. */
  interface SideBySide {
    html: string;
    number: number;
    places: PlacedRow[][];
  }
  /** Verdicts on places of a review, sent as text because lists in requests are limited. */
  interface VerdictsRequest {
    window?: Window;
    run: string;
    verdicts: string;
  }
  /**
   * For each document its number and the gain of each system; and the verdicts that cannot be applied.
   *
   * Attributes:
   *     faults: the number of the document, the path ("" for the whole document), and a sentence.
   */
  interface Gains {
    gains: number[][];
    faults: [number, string, string][];
  }
  /** Verdicts on places of a review, and the file to write. */
  interface ExportRequest {
    window?: Window;
    run: string;
    verdicts: string;
    file: "verdicts" | "references";
  }
  /** The file that was written. */
  interface ReviewFile {
    path: string;
  }
  /** The recovered share of the lost points, with its interval. */
  interface EstimatedLoss {
    lines: string[];
    share: [number, number, number];
  }
  /** Verdicts on places of a review, and a file with the verdicts of another reader. */
  interface ReadersRequest {
    window?: Window;
    run: string;
    verdicts: string;
    other: string;
  }
  /** How well two readers agree, and the other reader's verdicts where they differ. */
  interface ReadersAgreement {
    text: string;
    differing: ShownVerdict[];
  }
  /**
   * The context of a place: the other fields of its row, or the rows of the list that a new row joins.
   *
   * Attributes:
   *     heads: the names of the fields.
   *     rows: for each row, its fields as texts.
   *     places: for each field the number of its place, or null if all systems are right.
   *     count: the number of fields, or of rows.
   *     text: the text of the document.
   *     found, marks: for the ground truth and each answer, whether the text contains it, and where.
   *     row: the first position of the row in the text.
   */
  interface Beside {
    heads: string[];
    rows: string[][];
    places: (number | null)[];
    count: number;
    text: string | null;
    found: Found[];
    marks: Mark[][];
    row: Mark;
  }
}
