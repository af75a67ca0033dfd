import { extractText, getDocumentProxy } from 'unpdf';

/** Returns the text of each page of a PDF. Rejects if it cannot be parsed. */
export async function readPdf(content: Uint8Array): Promise<readonly string[]> {
  // A copy, because pdf.js takes over the bytes.
  const document = await getDocumentProxy(new Uint8Array(content), { verbosity: 0 });
  return (await extractText(document, { mergePages: false })).text;
}
