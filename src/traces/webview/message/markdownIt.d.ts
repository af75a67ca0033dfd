/** The types of the used part of markdown-it, which has none. */
declare module 'markdown-it' {
  export interface MarkdownToken {
    readonly type: string;
    readonly tag: string;
    /** 1 opens, -1 closes, 0 is self-contained. */
    readonly nesting: 1 | 0 | -1;
    readonly content: string;
    /** The text after the opening marks of a fence. */
    readonly info: string;
    /** A paragraph of a tight list, whose text has no element. */
    readonly hidden: boolean;
    readonly children: readonly MarkdownToken[] | null;
    attrGet(name: string): string | null;
  }

  export interface MarkdownOptions {
    readonly html: boolean;
    readonly breaks: boolean;
    readonly linkify: boolean;
  }

  export default class MarkdownIt {
    validateLink: (address: string) => boolean;
    constructor(options: MarkdownOptions);
    parse(text: string, environment: object): readonly MarkdownToken[];
  }
}
