/** Before any test counts its time: what the editor needs is there. */
import { ensureBrowser, ensureVscode } from '../../tools/vscodeServer.mjs';

export default async function setup(): Promise<void> {
  await ensureVscode();
  await ensureBrowser();
}
