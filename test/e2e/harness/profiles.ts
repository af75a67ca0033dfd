/** The setup of the editor for the extension-host tests, one entry per folder of tests. */
import type { HostSuiteOptions } from './hostSuite.ts';

const workspace = 'media/examples/math_agent';

/**
 * The default of VS Code on the desktop. In a browser, VS Code saves automatically after a second, and drops a save
 * command that arrives during that.
 */
const settings = { 'files.autoSave': 'off' };

/** The key `''` stands for the tests in test/e2e/suite itself. Any other key is a folder below it. */
export const hostProfiles: Readonly<Record<string, Omit<HostSuiteOptions, 'suite' | 'bundle'>>> = {
  '': { workspace, settings, typescript: 'on' },
  configs: { workspace: 'test/fixtures/workspace', settings },
  held: { workspace, settings, alongside: true },
  // Sixty runs whose traces no test reads.
  loading: {
    workspace: 'test/fixtures/loader',
    settings: {
      ...settings,
      'agentjet.trace.autoOpen': 'never',
      'debug.openDebug': 'neverOpen',
      'debug.internalConsoleOptions': 'neverOpen',
    },
  },
  multiRoot: { roots: { first: workspace, second: workspace }, settings },
  noNode: { workspace, node: 'none' },
  python: { workspace: 'test/fixtures/python', settings, python: true },
  untrusted: { workspace, workspaceTrust: true },
};
