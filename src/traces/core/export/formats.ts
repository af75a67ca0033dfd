/** The formats that a trace can be exported to. */
export const exportFormats = ['otlp', 'jsonl', 'chrome', 'html'] as const;
export type ExportFormat = (typeof exportFormats)[number];
