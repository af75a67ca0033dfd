import path from 'node:path';
import { fixtures } from './cases.ts';

/** How a file reaches Node: with every character where it was, or through a source map. */
export type Route = 'in place' | 'mapped';

const routes = {
  'module/plain.ts': 'in place',
  'module/typesWithoutType.ts': 'in place',
  'module/enum.ts': 'mapped',
  'module/namespace.ts': 'mapped',
  'module/parameterProperty.ts': 'mapped',
  'module/standardDecorator.ts': 'mapped',
  'module/legacy/legacyDecorator.ts': 'mapped',
  'module/view.tsx': 'mapped',
  'module/extensionless.ts': 'in place',
  'module/plainJs.js': 'in place',
  'typeless/common.cjs': 'in place',
  'typeless/common.cts': 'in place',
  'typeless/exportEquals.cts': 'mapped',
  'typeless/module.mjs': 'in place',
  'typeless/module.mts': 'in place',
  'typeless/untyped.js': 'in place',
  'typeless/untyped.ts': 'in place',
  'commonjs/imports.ts': 'in place',
  'commonjs/dirname.ts': 'mapped',
  'paths/src/paths.ts': 'in place',
  'module/awaits.ts': 'in place',
} as const satisfies Record<string, Route>;

/** Every kind of file that the loader runs. Each exports `Agent`, whose reward is 12, and marks one line of it. */
export const runnable: readonly { readonly label: string; readonly file: string; readonly route: Route }[] =
  Object.entries(routes).map(([label, route]) => ({ label, route, file: path.join(fixtures, label) }));
