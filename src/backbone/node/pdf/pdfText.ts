import { extractText, getDocumentProxy } from 'unpdf';

/** The text of each page of a PDF. Rejects where it cannot be parsed. */
export async function readPdf(content: Uint8Array): Promise<readonly string[]> {
  // A copy: pdf.js takes the bytes away from whoever hands them in.
  const document = await getDocumentProxy(new Uint8Array(content), { verbosity: 0 });
  return (await extractText(document, { mergePages: false })).text;
}
