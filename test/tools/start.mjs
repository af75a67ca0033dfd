/**
 * Opens the example in an editor that has the extension: the desktop's VS Code where there is one, else the VS Code
 * server in a browser.
 *
 *   node test/tools/start.mjs [--browser]
 *
 * The workspace is a copy of the example, kept between starts, in .artifacts/workspace.
 */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { copyExample } from '../../src/sdk/node/project/example.ts';
import { expectFirstWindow } from '../../src/sdk/node/project/firstWindow.ts';
import { ProjectSource } from '../../src/sdk/node/project/source.ts';
import { pathWithProjectNode } from '../e2e/harness/nodeOnPath.ts';
import { startServer } from '../e2e/harness/server.ts';
import { makeTemp, removeTemp } from '../e2e/harness/temp.ts';
import { artifacts, exitWith, logs, onPath, projectNode, root, runLogged } from './commands.mjs';
import { ensureVscode } from './vscodeServer.mjs';

/** Like Open Example. The window shows the workflow, its README and the walkthrough at every start. */
async function exampleWorkspace() {
  const workspace = path.join(artifacts, 'workspace/math_agent');
  if (existsSync(workspace)) await expectFirstWindow(workspace, 'example');
  else {
    await mkdir(path.dirname(workspace), { recursive: true });
    await copyExample(new ProjectSource(root), 'math_agent', 'typescript', workspace);
  }
  return workspace;
}

/** Whether a desktop VS Code took the workspace. The `code` inside a remote terminal cannot load an extension. */
async function openedOnDesktop(workspace) {
  const code = onPath(['code']);
  if (code === undefined || code.includes('remote-cli')) return false;
  const args = [`--extensionDevelopmentPath=${root}`, '--new-window', workspace];
  return (await runLogged(code, args, { log: path.join(logs, 'start.log') })) === 0;
}

async function serveUntilInterrupted(workspace) {
  const interrupted = interruption();
  const vscode = await ensureVscode();
  const temp = await makeTemp();
  const env = { ...process.env, PATH: pathWithProjectNode(root), AGENTJET_E2E_TEMP: temp };
  try {
    const server = await startServer({ vscode, node: projectNode, temp, extension: root, env });
    console.log(`\nOpen this address in a browser; Ctrl-C stops the editor.\n\n  ${server.url(workspace)}\n`);
    await Promise.race([interrupted, once(server.process, 'exit')]);
    await server.stop();
  } finally {
    await removeTemp(temp);
  }
}

function interruption() {
  return Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
}

async function main() {
  const workspace = await exampleWorkspace();
  if (!process.argv.includes('--browser') && (await openedOnDesktop(workspace))) {
    console.log(`VS Code has opened ${workspace} with the extension.`);
    return;
  }
  await serveUntilInterrupted(workspace);
}

await main().catch(exitWith);
