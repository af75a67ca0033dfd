import type { DebugProtocol } from '@vscode/debugprotocol';
import * as l10n from '@vscode/l10n';
import { CodedError, formatLocation, toReport } from '../../base/core/errors.ts';
import { commands } from '../../base/core/ids.ts';
import { forEditor, placeOfOption } from '../../base/core/optionNames.ts';
import type { OptionErrors } from '../../backbone/node/options/runOptions.ts';

/** Numbers that clients of the Debug Adapter Protocol see. Never reuse or renumber one. */
const ids: Readonly<Record<string, number>> = {
  'debug/bad-attribute': 3001,
  'debug/missing-attribute': 3002,
  'debug/file-not-found': 3003,
  'debug/missing-api-key': 3004,
  'debug/unsupported-request': 3005,
  'debug/cannot-evaluate': 3006,
  'debug/cannot-pause': 3007,
  'debug/never-stopped': 3008,
  'debug/child-not-started': 3009,
  'debug/already-launched': 3010,
  'debug/stopped': 3011,
  'debug/internal': 3012,
  'debug/bad-answer': 3013,
  'debug/wrong-access-token': 3014,
};

/** The number for errors from other parts, such as the launcher. The text contains their own code. */
const foreignId = 3000;

/** An error about a launch attribute, or about the setting that supplies it. */
class AttributeError extends CodedError {
  /** The setting without `agentjet.`; undefined: the launch configuration has the attribute. */
  readonly setting: string | undefined;

  constructor(setting: string | undefined, report: ConstructorParameters<typeof CodedError>[0]) {
    super(report);
    this.setting = setting;
  }
}

/** @param settings the attributes that the launch configuration leaves to settings */
export function attributeErrors(settings: ReadonlySet<string> = new Set()): OptionErrors {
  const place = (attribute: string): string => placeOfOption(attribute, settings);
  const subject = (attribute: string): string =>
    settingOf(attribute) === undefined ? `Launch attribute '${attribute}'` : place(attribute);
  const settingOf = (attribute: string): string | undefined => {
    const [name = ''] = attribute.split('.');
    return settings.has(name) ? name : undefined;
  };
  return {
    bad: (attribute, expected, actual) =>
      new AttributeError(settingOf(attribute), {
        code: 'debug/bad-attribute',
        message: `${subject(attribute)} must be ${expected}, but is ${actual}.`,
        hint: `Correct ${place(attribute)}.`,
      }),

    missing: (attribute, because) =>
      new AttributeError(settingOf(attribute), {
        code: 'debug/missing-attribute',
        message: `${subject(attribute)} is missing: ${because}.`,
        hint: `Add ${place(attribute)}.`,
      }),

    fileNotFound: (attribute, file) =>
      new AttributeError(settingOf(attribute), {
        code: 'debug/file-not-found',
        message: `${subject(attribute)} names a path that does not exist: ${file}.`,
        hint: `Correct ${place(attribute)}, or create the file.`,
      }),

    missingApiKey: (attribute, variable) =>
      new AttributeError(settingOf(attribute), {
        code: 'debug/missing-api-key',
        message: `${subject(attribute)} names the environment variable ${variable}, which is not set.`,
        hint: `Set ${variable} in the environment or in 'envFile', or remove 'apiKeyEnv' and save the key with "AgentJet: Set API Key".`,
      }),
  };
}

export const debugErrors = {
  unsupportedRequest: (command: string) =>
    new CodedError({
      code: 'debug/unsupported-request',
      message: `The AgentJet debugger does not support the request '${command}'.`,
      hint: 'Select the session of the JavaScript debugger below it.',
    }),

  cannotEvaluate: () =>
    new CodedError({
      code: 'debug/cannot-evaluate',
      message: 'The AgentJet session cannot evaluate expressions.',
      hint: 'Stop at a breakpoint of the workflow and select the session of the JavaScript debugger.',
    }),

  wrongAccessToken: () =>
    new CodedError({
      code: 'debug/wrong-access-token',
      message: "Launch attribute 'accessToken' is not the token of this debug adapter.",
      hint: 'Set it to the token that the adapter printed at its start, or to AGENTJET_ADAPTER_TOKEN of its environment.',
    }),

  badAnswer: () =>
    new CodedError({
      code: 'debug/bad-answer',
      message: 'An answer must have the `id` of its LLM call and a `text`.',
      hint: 'Add both to the request.',
    }),

  cannotPause: () =>
    new CodedError({
      code: 'debug/cannot-pause',
      message: 'The AgentJet session cannot pause an episode.',
      hint: 'Select the session of the JavaScript debugger below it and pause there.',
    }),

  neverStopped: (command: string) =>
    new CodedError({
      code: 'debug/never-stopped',
      message: `The AgentJet session never stops, so it cannot respond to '${command}'.`,
      hint: 'Select the session of the JavaScript debugger below it.',
    }),

  childNotStarted: (reason: string) =>
    new CodedError({
      code: 'debug/child-not-started',
      message: `The JavaScript debugger could not be started: ${reason}.`,
      hint: 'Check that the built-in extension "JavaScript Debugger" is enabled, or run without debugging.',
    }),

  alreadyLaunched: () =>
    new CodedError({
      code: 'debug/already-launched',
      message: 'This session has already started its run.',
      hint: 'Start a new session for another run.',
    }),

  stopped: () => new CodedError({ code: 'debug/stopped', message: 'The run was stopped before it started.' }),
};

/** A failure as a DAP error response carries it: one line, with where it is, what to do, and its code. */
export function toDapMessage(
  error: unknown,
  { showUser, settings }: { readonly showUser: boolean; readonly settings?: ReadonlySet<string> },
): DebugProtocol.Message {
  const report = toReport(error, 'debug/internal');
  const where = report.location ? `${formatLocation(report.location)}: ` : '';
  const hint = report.hint === undefined ? '' : ` ${forEditor(report.hint, settings)}`;
  return {
    id: ids[report.code] ?? foreignId,
    // A variable, because braces in a format would be taken for one.
    format: '{_text}',
    variables: { _text: `${where}${report.message}${hint} [${report.code}]` },
    showUser,
    ...(error instanceof AttributeError && error.setting !== undefined && remedyOf(error.setting)),
  };
}

const modelSettings: ReadonlySet<string> = new Set(['model', 'script', 'endpoint', 'editorModel']);

/** Returns the button of the dialog for an error about a setting. Only VS Code has settings, and opens such links. */
function remedyOf(setting: string): Pick<DebugProtocol.Message, 'url' | 'urlLabel'> {
  if (modelSettings.has(setting))
    return { url: `command:${commands.chooseModel}`, urlLabel: l10n.t('Choose Model') };
  const query = encodeURIComponent(JSON.stringify([`agentjet.${setting}`]));
  return {
    url: `command:workbench.action.openSettings?${query}`,
    urlLabel: l10n.t('Open Settings'),
  };
}
