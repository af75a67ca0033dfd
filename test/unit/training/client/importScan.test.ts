import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { scanImports } from '../../../../src/training/node/client/importScan.ts';

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'agentjet-imports-')));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function scan(files: Readonly<Record<string, string>>) {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, file)), { recursive: true });
    await writeFile(path.join(root, file), text);
  }
  const { packages, ...rest } = await scanImports([path.join(root, 'workflow.ts')], root);
  return { packages: [...packages].sort(), ...rest };
}

describe('what a workflow imports', () => {
  test('is followed through its files, for packages that are more than types', async () => {
    const found = await scan({
      'workflow.ts': `import { Workflow } from 'agentjet';
import './effect.js';
import type { A } from 'types-only';
import { type B, type C } from "types-only-too";
import { type D, e } from '@scope/name/deep';
import type from 'named-type';
// import x from 'in-a-comment';
const text = "import y from 'in-a-text'";
import fs from 'node:fs'; import path from 'path';
import { helper } from './lib'; import { z } from '#own'; import mapped from '~/mapped';
export * from 'passed-on';
export const named = 'no-import';`,
      'effect.ts': "const late = await import('dynamic'); const old = require('common');",
      'lib/index.ts': "import '../workflow.ts'; import 'below';",
      'tsconfig.json': '{"compilerOptions": {"paths": {"~/*": ["./src/*"]}}}',
      'src/mapped.ts': "export default 'asOaiBaseUrlApiKey';",
      'other.ts': "import 'of-nobody';",
    });
    expect(found).toEqual({
      packages: ['@scope/name', 'below', 'common', 'dynamic', 'named-type', 'passed-on'],
      asksForKey: true,
      needsCompiler: false,
    });
  });

  test.each([
    ['a decorator', { 'workflow.ts': '@x class A {}' }],
    ['JSX', { 'workflow.ts': "import './view.tsx';", 'view.tsx': 'export const a = <p />;' }],
    [
      'old class fields',
      { 'workflow.ts': '', 'tsconfig.json': '{"compilerOptions": {"useDefineForClassFields": false}}' },
    ],
  ])('needs the compiler for %s', async (_, files) => {
    expect((await scan(files)).needsCompiler).toBe(true);
  });
});
