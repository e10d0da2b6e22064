// Requests of the page's scripts to the server, and the answers. A request is a model of requests.py, an answer the
// JSON value of a server function; tests/test_server_functions.py compares the names of both with these.

/** What gradio writes into the page. */
interface Window {
  gradio_config: { components: { id: number; props: { server_fns?: string[] } }[] };
}

declare namespace Server {
  interface Functions {
    score_workspace: Ask<PairRequest, PairAnswer>;
    try_options: Ask<PairRequest, WhatIfs>;
    stop_workspace: Ask<Request, object>;
    open_link: Ask<LinkRequest, PairRequest>;
    score_files: Ask<FileRequest, TestSet | Running>;
    compare_files: Ask<CompareRequest, Comparison | Running>;
    begin_review: Ask<ReviewRequest, Review | Running>;
    score_verdicts: Ask<VerdictsRequest, Gains>;
    export_review: Ask<ExportRequest, ReviewFile>;
    estimate_review: Ask<VerdictsRequest, EstimatedLoss>;
    compare_readers: Ask<ReadersRequest, ReadersAgreement>;
    read_beside: Ask<DocumentRequest, Beside>;
    progress: <R>(asked: Request) => Promise<R | Running | Refusal>;
    stop: Ask<Request, object>;
    sort_files: Ask<SortRequest, SortedFiles>;
    open_result: Ask<KeptRequest, TestSet | Comparison | Review>;
    read_documents: Ask<KeptRequest, Listing>;
    view_documents: Ask<ViewRequest, View>;
    read_document: Ask<DocumentRequest, Document>;
    read_pdf: Ask<PdfRequest, Pdf>;
    read_rows: Ask<RowsRequest, Text>;
    read_pair: Ask<DocumentRequest, PairSides>;
    try_remedy: Ask<RemedyRequest, Text>;
    try_remedies: Ask<RemedyRequest, Text>;
    open_document: Ask<SideBySideRequest, SideBySide>;
  }
  type Ask<Q, A> = (asked: Q) => Promise<A | Refusal>;

  /** Replaces an answer. The script sets "silent" if the server gave no answer. */
  interface Refusal {
    refused: string;
    kind: "input" | "busy" | "limit" | "stopped" | "replaced" | "gone" | "failed" | "silent";
  }
  /** Replaces the result while a run goes on. */
  interface Running {
    running: true;
    share: number;
    text: string;
  }

  // Requests

  /** The name of the window and the number of its request. */
  type Window = [name: string, number: number];
  interface Request {
    window?: Window;
  }
  interface PairRequest extends Request {
    truth: string;
    prediction: string;
    reading: string;
    metric: string;
    options: SchemaOptions;
    text?: string;
    is_example?: boolean;
    content?: Reading;
  }
  interface LinkRequest extends Request {
    link: unknown;
  }
  interface FileRequest extends Request {
    references: string | null;
    predictions: string;
    reading: Reading;
    what_if: SchemaOptions;
    metrics: string[];
    by: string;
    skip: boolean;
    before?: string;
  }
  interface SortRequest extends Request {
    files: string[];
    truth: number | null;
    reading: Reading;
    is_pair: boolean;
    missing: string;
    skip: boolean;
  }
  interface CompareRequest extends Request {
    references: string | null;
    predictions: string[];
    names: string[];
    reading: Reading;
    parse: string | null;
    missing: string;
    skip: boolean;
    metric: string;
    what_if: SchemaOptions;
  }
  interface ReviewRequest extends CompareRequest {
    sample: number;
    sample_of: string;
    verdicts: string | null;
    texts: string | null;
  }
  interface KeptRequest extends Request {
    run: string;
  }
  /** `verdicts`: a JSON list of [number of the place, verdict, number of the answer, value, applies to its group]. */
  interface VerdictsRequest extends KeptRequest {
    verdicts: string;
  }
  interface ExportRequest extends VerdictsRequest {
    file: "verdicts" | "references";
  }
  interface ReadersRequest extends VerdictsRequest {
    other: string;
  }
  interface ViewRequest extends KeptRequest {
    cause: string | null;
    field: string | null;
    within?: string | null;
    slice?: string | null;
    find: string;
    low: number;
    high: number;
    sort: string;
    share?: string | null;
    level?: "page" | "box";
  }
  interface DocumentRequest extends KeptRequest {
    number: number;
    system?: number;
    text?: string;
  }
  /** Asks for the score of the result with the option of a button, by its number. */
  interface RemedyRequest extends KeptRequest {
    button: number;
  }
  /** `pdf`: the name of the file; `page`: a page of the kept file, from 1. */
  interface PdfRequest extends KeptRequest {
    pdf?: string | null;
    page?: number;
  }
  interface RowsRequest extends KeptRequest {
    numbers: string;
  }
  interface SideBySideRequest extends KeptRequest {
    document: string;
    text?: string;
  }

  /** The visitor's choices instead of guesses, by the names that requests.py lists. */
  type Reading = Record<string, string | null>;
  interface WhatIfOptions {
    threshold: number;
    ignore_case: boolean;
    numbers: string;
    normalise: boolean;
    donut: boolean;
    rules: string;
  }
  /** `schema`: the text of a JSON Schema, "" for none. */
  interface SchemaOptions extends WhatIfOptions {
    schema?: string;
  }

  // One pair

  interface PairAnswer {
    faults: (Fault | null)[];
    note: string;
    edits: Edit[];
    result: string;
    raw: string;
    python: string;
    spans: Spans[];
    places: PlacedRow[];
    is_example: boolean;
    taken: Taken[];
  }
  interface Fault {
    text: string;
    line: number | null;
    column: number | null;
    mend: Mend | null;
  }
  /** Edits that make a text JSON. `repairs`: the same as `parse="repair"`; else they keep only the first value. */
  interface Mend {
    edits: Edit[];
    repairs: boolean;
  }
  type Edit = [begin: number, end: number, added: string];
  type Spans = Record<string, [start: number, end: number]>;
  interface Sides {
    truth: string;
    prediction: string;
  }
  interface PairSides extends Sides {
    reading: string;
  }
  interface WhatIfs {
    what_ifs: WhatIf[];
    remedies: Warning[];
  }

  // Files

  interface SortedFiles {
    truth: number | null;
    both: boolean;
    unsure: boolean;
    files: FileFacts[];
    html: string;
    blocked: boolean;
  }
  interface FileFacts {
    name: string;
    rows?: number;
    columns?: string[];
    fault?: string;
  }
  interface Upload {
    name: string;
    path: string;
  }
  interface FileNames {
    references?: string;
    predictions: string;
  }
  interface Download {
    label: string;
    path: string;
  }
  interface NamedDownload extends Download {
    name: string;
  }

  // A test set

  interface TestSet {
    run: string;
    example: boolean;
    asked: FileRequest;
    names: FileNames;
    paired: string;
    score: number;
    label: string;
    low: number | null;
    high: number | null;
    text: string;
    range: string;
    interval: string;
    headline: Headline;
    what_ifs: WhatIf[];
    counts: string[];
    signature: string;
    lists: ListSum[];
    slices: Slice[];
    remedies: Warning[];
    taken: Taken[];
    grounding: Grounding | null;
    histogram: HistogramBins;
    intervals: string[];
    left_out: string[];
    python: string;
    figures: string;
    downloads: Download[];
  }
  /** The figures of right values in the right region; `value` is the F1 of values, null without annotated regions. */
  interface Grounding {
    value: number | null;
    levels: GroundingLevel[];
    values: number;
    cited: number;
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
    ends: [low: number, high: number] | null;
    lost: number;
  }
  interface GroundingLevel {
    level: "page" | "box";
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
  interface Headline {
    title: string;
    text: string;
    remedy: Remedy | null;
    lead: { cause: string; words: string } | null;
  }
  /** A warning that options resolve. */
  interface Warning {
    text: string;
    buttons: Remedy[];
  }
  /** A reading option that was used. */
  interface Taken {
    name: string;
    words: string;
  }
  interface Text {
    text: string;
  }
  interface Remedy {
    label: string;
    options: Changes;
  }
  interface WhatIf extends Remedy {
    score: number;
    difference: number;
  }
  /** Parts of a request that would score higher. */
  interface Changes {
    what_if?: Partial<SchemaOptions>;
    reading?: Reading;
  }
  interface HistogramBins {
    edges: number[];
    counts: number[];
  }
  interface Rate {
    label: string;
    share: string;
    count: string;
  }

  interface Listing {
    names: string[];
    scores: string[];
    images: string[];
    note: string;
  }
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
  /** Points lost by a cause, with a label and perhaps a specimen, or by a field, with a score. */
  interface Sum {
    name: string;
    title: string;
    points: string;
    share: number;
    documents: string;
    label?: string;
    specimen?: [truth: string | null, prediction: string | null] | null;
    score?: string;
  }
  interface Document {
    html: string;
    marks: [row: number, field: string, cause: string][];
    image: string;
    places: PlacedRow[];
    lists: LongList[];
  }
  /** A list: `cut` is the number of rows before it was cut off; `rows` says if each is right, differs or is missing. */
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
  /** Where the value of a row is expected and cited; `found`: both sides in the text, null if no text can show them. */
  interface PlacedRow {
    row: number;
    path: string;
    right: boolean;
    predicted: boolean;
    empty: boolean;
    levels: Partial<Record<"page" | "box", [accepted: number, cited: number]>> | null;
    expected: DocumentPlace[];
    cited: DocumentPlace[];
    overlap: number | null;
    extra: boolean;
    outcome: "" | "partial" | "wrong" | "missing" | "extra";
    found: (Mark[] | null)[];
  }
  type DocumentPlace = [page: number | null, boxes: [number, number, number, number][], quote: string | null];

  /** The words with boxes, the width and the height of each page; or the image of one page. */
  interface Pdf {
    words: [word: string, box: [number, number, number, number]][][];
    sizes: [width: number, height: number][];
    path: string;
  }
  // Several systems

  interface Comparison {
    run: string;
    asked: CompareRequest;
    count: number;
    systems: System[];
    verdict: Verdict;
    ties: [first: number, last: number][];
    causes: LossRow[];
    fields: LossRow[];
    field_count: number;
    documents: DocumentScores[];
    pairs: Pair[];
    note: string;
    signature: string;
    remedies: Warning[];
    taken: Taken[];
    left_out: string[];
    python: string;
    downloads: NamedDownload[];
  }
  interface System {
    name: string;
    score: number;
    text: string;
    lost: string;
    low: number | null;
    high: number | null;
    interval: string;
    costs: Partial<Record<CostColumn, Cost>>;
    counts: string[];
  }
  type CostColumn = "cost" | "seconds" | "tokens";
  /** A sum over the documents, or a note why there is none. */
  interface Cost {
    total: number | null;
    note: string;
  }
  interface Verdict {
    title: string;
    rest: string;
    proven: boolean;
    p: string;
    text: string;
    documents: string[];
    remarks: string[];
    remedies: Remedy[];
  }
  /** `places`: the places of each system, with the numbers of the rows. */
  interface SideBySide {
    html: string;
    number: number;
    places: PlacedRow[][];
  }
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
  interface DocumentScores {
    id: string;
    spread: number;
    scores: string[];
  }
  interface Pair {
    first: string;
    second: string;
    difference: number;
    low: number | null;
    high: number | null;
    better: number;
    worse: number;
    same: number;
    p: string;
    proven: boolean;
  }

  // A review

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
  interface ReviewedSystem {
    name: string;
    score: number;
    text: string;
  }
  /**
   * An item of a review with its values as texts, null if a side has none. `edit`: the ground truth to edit, null if it
   * cannot be edited. Systems are numbers.
   */
  interface Place {
    document: number;
    id: string;
    identity: PlaceIdentity;
    path: string;
    row: number | null;
    judged: string;
    reference: number | null;
    kind: string;
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
  }
  /** Identifies a place; an added row has the row before it, its content, and its number among equal rows. */
  type PlaceIdentity = [
    id: string,
    path: string,
    row: [after: number | null, content: string, number: number] | null,
    reference: number | null,
  ];
  type Found = "yes" | "no" | "";
  /** A value that systems predict, and both sides as spans with marked differences. */
  interface PredictedValue {
    systems: number[];
    text: string | null;
    found: Found;
    similarity: string;
    marked: [text: string, differs: boolean][][];
  }
  interface DecidedBefore {
    verdicts: ShownVerdict[];
    note: string;
  }
  interface ShownVerdict {
    number: number;
    verdict: string;
    answer: number;
    value: string;
  }
  /** The numbers of documents with the gain of each system, and verdicts that cannot be applied. */
  interface Gains {
    gains: number[][];
    faults: [document: number, path: string, text: string][];
  }
  interface ReadersAgreement {
    text: string;
    differing: ShownVerdict[];
  }
  interface ReviewFile {
    path: string;
  }
  interface EstimatedLoss {
    lines: string[];
    share: [share: number, low: number, high: number];
  }
  /**
   * The fields of a row, or rows, and the text of the document, with the places of the ground truth, of each answer and
   * of the row.
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
  /** A place in a text: the characters of a value, or of each part of the value. */
  type Mark = [start: number, end: number][];
}

interface DocumentEventMap {
  "docscore-tab": CustomEvent<string>;
  "docscore-review": CustomEvent<Partial<Server.ReviewRequest>>;
}
