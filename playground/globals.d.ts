// What the scripts of the page give each other: page.js and links.js have no types of their own yet.

type ServerFunction = (question: object) => Promise<any>;

declare function docscoreAnswer(ask: ServerFunction, question: object): Promise<any>;
declare function docscoreAsker(ask: ServerFunction): { forget: () => void; window: () => [string, number]; ask: (question: object) => Promise<any> };
declare function docscoreRunner(kind: string, begin: ServerFunction, server: any): {
  run: (question: object, show: (share: number, text: string) => void) => Promise<any>;
  stop: () => Promise<any>;
};
declare function docscoreOptions(root: HTMLElement): {
  read: () => Record<string, any>;
  take: (values: Record<string, any>) => void;
  show: (metric: string) => void;
  changed: () => [string, string][];
  reset: (name: string) => void;
};
declare function docscoreSentence(text: string): string;
declare function docscoreIsShown(tab: string): boolean;
declare const docscoreLinks: { copy: (link: string, note?: string) => Promise<string> };

interface Window { docscoreCompare: (root: HTMLElement, server: any) => void }
