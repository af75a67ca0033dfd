import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';

interface Manifest {
  readonly publisher: string;
  readonly name: string;
  readonly contributes: { readonly commands: readonly { readonly command: string }[] };
}

/** The folder of the extension under test, which the harness names. */
function manifest(): Manifest {
  const folder = process.env['AGENTJET_E2E_EXTENSION'];
  assert.ok(folder !== undefined, 'the harness sets AGENTJET_E2E_EXTENSION');
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest;
}

describe('the extension', () => {
  it('activates', async () => {
    const { publisher, name } = manifest();
    const extension = vscode.extensions.getExtension(`${publisher}.${name}`);
    assert.ok(extension, 'the editor knows the extension');
    await extension.activate();
    assert.equal(extension.isActive, true);
  });

  it('registers every command that its manifest declares', async () => {
    const registered = new Set(await vscode.commands.getCommands(true));
    const missing = manifest().contributes.commands.filter(({ command }) => !registered.has(command));
    assert.deepEqual(missing, []);
  });
});
