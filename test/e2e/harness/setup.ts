/** Installs VS Code and the browser before the timeouts of the tests start. */
import { ensureBrowser, ensureVscode } from '../../tools/vscodeServer.mjs';

export default async function setup(): Promise<void> {
  await ensureVscode();
  await ensureBrowser();
}
