/** How the editor is set up for the extension-host tests: one entry for each folder of tests. */
import type { HostSuiteOptions } from './hostSuite.ts';

const workspace = 'media/examples/math_agent';

/**
 * Off as on the desktop; in a browser the editor saves by itself after a second, and a test's own save that falls into
 * that one is dropped.
 */
const settings = { 'files.autoSave': 'off' };

/** `''` is for the tests right in test/e2e/suite; any other name is a folder below it. */
export const hostProfiles: Readonly<Record<string, Omit<HostSuiteOptions, 'suite' | 'bundle'>>> = {
  '': { workspace, settings, typescript: 'on' },
  configs: { workspace: 'test/fixtures/workspace', settings },
  held: { workspace, settings, alongside: true },
  // Sixty runs whose traces nobody looks at.
  loading: {
    workspace: 'test/fixtures/loader',
    settings: { ...settings, 'agentjet.openTrace': 'never' },
  },
  multiRoot: { roots: { first: workspace, second: workspace }, settings },
  noNode: { workspace, node: 'none' },
  python: { workspace: 'test/fixtures/python', settings, python: true },
  untrusted: { workspace, workspaceTrust: true },
};
