/**
 * Runs the same extension-host tests in a desktop VS Code: the one that VSCODE_EXECUTABLE names, else the newest
 * stable one, which is downloaded. Needs a display (`xvfb-run` gives one).
 *
 *   node test/tools/desktop.mjs [profile …]
 */
import { cp, readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { runTests } from '@vscode/test-electron';
import { pathWithProjectNode, pathWithoutNode } from '../e2e/harness/nodeOnPath.ts';
import { makeTemp, removeTemp } from '../e2e/harness/temp.ts';
import { ToolError, exitWith, root } from './commands.mjs';
import { runProfiles } from './hostResults.mjs';
import { userCacheFolder } from './vscodeServer.mjs';

async function runOnDesktop(suite, bundle, options) {
  const temp = await makeTemp();
  const results = path.join(temp, 'results.json');
  try {
    const workspace = path.join(temp, path.basename(options.workspace));
    await cp(path.join(root, options.workspace), workspace, { recursive: true });
    const editor = runTests({
      ...chosenVscode(),
      extensionDevelopmentPath: root,
      extensionTestsPath: bundle,
      launchArgs: launchArguments(workspace, temp, options),
      extensionTestsEnv: {
        // Else the editor takes the PATH of a login shell.
        VSCODE_CLI: '1',
        PATH: options.node === 'none' ? await pathWithoutNode(temp) : pathWithProjectNode(root),
        AGENTJET_E2E_TEMP: temp,
        AGENTJET_E2E_RESULTS: results,
        AGENTJET_E2E_EXTENSION: root,
      },
    });
    const failure = await editor.then(
      () => undefined,
      (error) => error,
    );
    return await resultsOf(results, failure);
  } finally {
    await removeTemp(temp);
  }
}

function chosenVscode() {
  const executable = process.env.VSCODE_EXECUTABLE;
  if (executable) return { vscodeExecutablePath: executable };
  return { version: 'stable', cachePath: path.join(userCacheFolder(), 'agentjet-dev/desktop') };
}

function launchArguments(workspace, temp, options) {
  const trust = options.workspaceTrust === true ? [] : ['--disable-workspace-trust'];
  return [
    workspace,
    ...trust,
    '--disable-extensions',
    '--skip-welcome',
    '--skip-release-notes',
    `--user-data-dir=${path.join(temp, 'user')}`,
    `--extensions-dir=${path.join(temp, 'exts')}`,
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ];
}

/** A failed test makes the editor's exit code a failure too: the results tell more, where there are any. */
async function resultsOf(file, failure) {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text !== undefined) return JSON.parse(text);
  throw failure ?? new Error('The editor ended before all tests had run.');
}

if (process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) {
  exitWith(new ToolError('A desktop VS Code needs a display: run `xvfb-run -a npm run test:desktop`.'));
}
await runProfiles(runOnDesktop).catch(exitWith);
