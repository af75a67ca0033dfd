import { describe, expect, it } from 'vitest';
import { attributeErrors, toDapMessage } from '../../../src/debugging/node/errors.ts';
import { leftToSettings, settingsOf } from '../../../src/debugging/node/launchConfiguration.ts';

/** Returns the error dialog for an option that `configuration` leaves to settings if it does not have it. */
function dialog(option: string, configuration: Readonly<Record<string, unknown>>) {
  const settings = settingsOf(leftToSettings(configuration, { endpoint: undefined, parallel: undefined }));
  const error = attributeErrors(settings).bad(option, 'valid', 'not');
  const { variables, url } = toDapMessage(error, { showUser: true });
  return { text: variables?.['_text'] ?? '', url };
}

describe('an error about an option', () => {
  it('names the launch attribute if the launch configuration has it', () => {
    const { text, url } = dialog('endpoint.baseUrl', { endpoint: {} });
    expect(text).toMatch(/^Launch attribute 'endpoint\.baseUrl'/);
    expect(url).toBeUndefined();
  });

  it('names the setting otherwise, with a button to choose a model', () => {
    const { text, url } = dialog('endpoint.baseUrl', {});
    expect(text).toContain("'agentjet.endpoint'");
    expect(text).not.toContain('launch');
    expect(url).toBe('command:agentjet.chooseModel');
  });

  it('has a button to open another setting', () => {
    const { url = '' } = dialog('parallel', {});
    expect(decodeURIComponent(url)).toBe('command:workbench.action.openSettings?["agentjet.parallel"]');
  });
});
