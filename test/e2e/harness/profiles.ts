/** How the editor is set up for the extension-host tests: one entry for each folder of tests. */
import type { HostSuiteOptions } from './hostSuite.ts';

const workspace = 'media/examples/math_agent';

/** `''` is for the tests right in test/e2e/suite; any other name is a folder below it. */
export const hostProfiles: Readonly<Record<string, Omit<HostSuiteOptions, 'suite' | 'bundle'>>> = {
  '': { workspace },
  loading: { workspace: 'test/fixtures/loader', settings: { 'files.autoSave': 'off' } },
  multiRoot: { roots: { first: workspace, second: workspace } },
  noNode: { workspace, node: 'none' },
  untrusted: { workspace, workspaceTrust: true },
};
