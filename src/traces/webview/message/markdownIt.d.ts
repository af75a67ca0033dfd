/** What is used of markdown-it, which comes without types. */
declare module 'markdown-it' {
  export interface MarkdownToken {
    readonly type: string;
    readonly tag: string;
    /** 1 opens, -1 closes, 0 does neither. */
    readonly nesting: 1 | 0 | -1;
    readonly content: string;
    /** Of a fence: what stands behind its marks. */
    readonly info: string;
    /** A paragraph of a tight list, whose text stands without it. */
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
