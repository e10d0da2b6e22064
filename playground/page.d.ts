// What gradio and the page's scripts add to the browser.

interface Window {
  gradio_config: { components: { id: number; props: { server_fns?: string[] } }[] };
}

interface DocumentEventMap {
  "docscore-tab": CustomEvent<string>;
  "docscore-review": CustomEvent<Partial<Server.ReviewRequest>>;
}

declare namespace Server {
  /** Both texts of a pair. */
  type Sides = Pick<PairSides, "truth" | "prediction">;
  /** A file that was uploaded, or that the page offers. */
  interface Upload {
    name: string;
    path: string;
  }
}
