/** What a trace can be exported as. */
export const exportFormats = ['otlp', 'jsonl', 'chrome', 'html'] as const;
export type ExportFormat = (typeof exportFormats)[number];
