import { describe, expect, it } from 'vitest';
import { forEditor, forTerminal } from '../../../src/base/core/optionNames.ts';

const folder = 'Choose another with --exp-dir DIR (launch.json: expDir).';
const python = 'Use --python FILE (launch.json: python; in the editor also "Python: Select Interpreter").';
const url =
  'Correct --base-url (launch.json: endpoint.baseUrl) or --helper embedded (launch.json: helper.kind).';

describe('the names of options', () => {
  it('are flags at the terminal', () => {
    expect(forTerminal(folder)).toBe('Choose another with --exp-dir DIR.');
    expect(forTerminal(python)).toBe('Use --python FILE.');
    expect(forTerminal(url)).toBe('Correct --base-url or --helper embedded.');
  });

  it('are launch attributes in the editor', () => {
    expect(forEditor(folder)).toBe("Choose another with 'expDir' in the launch configuration.");
    expect(forEditor(url)).toBe(
      `Correct 'endpoint.baseUrl' in the launch configuration or 'helper.kind' ("embedded") in the launch configuration.`,
    );
  });

  it('are settings in the editor if the launch configuration leaves them to settings', () => {
    const settings = new Set(['endpoint', 'python']);
    expect(forEditor(python, settings)).toBe(
      `Use 'agentjet.python' in the settings or "Python: Select Interpreter".`,
    );
    expect(forEditor(url, settings)).toContain("'baseUrl' of 'agentjet.endpoint' in the settings");
  });

  it('leave other texts alone', () => {
    const text = 'Run agentjet --help (launch.json is not read).';
    expect([forTerminal(text), forEditor(text)]).toEqual([text, text]);
  });
});
