import { CodedError } from '../../../base/core/errors.ts';

export const launchErrors = {
  /** @param hint empty: nothing can be done about it but to leave the flag out */
  refusedFlag: (flag: string, launcher: string, why: string, hint: string) =>
    new CodedError({
      code: 'host/flag-refused',
      message: `The flag \`${flag}\` of \`${launcher}\` is not allowed on a host: ${why}.`,
      hint: hint === '' ? `Leave \`${flag}\` out.` : hint,
    }),
  unknownFlag: (flag: string, launcher: string, known: readonly string[]) =>
    new CodedError({
      code: 'host/flag-unknown',
      message: `\`${launcher}\` has no flag ${JSON.stringify(flag)}.`,
      hint: `Flags that are allowed on a host: ${known.map((one) => `\`${one}\``).join(', ')}.`,
    }),
  badFlagValue: (flag: string, wanted: string) =>
    new CodedError({
      code: 'host/flag-value',
      message: `\`${flag}\` needs ${wanted}.`,
      hint: `Write \`${flag} VALUE\` or \`${flag}=VALUE\`.`,
    }),
  badVariable: (name: string, why: string) =>
    new CodedError({
      code: 'host/variable-refused',
      message: `A run cannot set the variable ${name}: ${why}.`,
      hint: 'Remove it from the run. The owner of the host can set it in the environment of the host.',
    }),
  badConfigPath: (path: string, why: string) =>
    new CodedError({
      code: 'host/config-path',
      message: `Cannot start the config ${JSON.stringify(path)}: ${why}.`,
      hint: 'Name a `.yaml` file in the folder that is sent, by its path relative to that folder.',
    }),
  badJobName: (key: string, value: string) =>
    new CodedError({
      code: 'host/job-name',
      message: `\`${key}\` is ${JSON.stringify(value)}, which leads out of the checkpoint folder.`,
      hint: 'Use a name without `..` and NUL that does not start with `/`.',
    }),
  noLauncher: (name: string, why: string) =>
    new CodedError({
      code: 'host/launcher-not-allowed',
      message: `This host does not start \`${name}\`: ${why}.`,
      hint: 'Choose another launcher, or ask the owner of the host to configure this one.',
    }),
  wrongBackbone: (launcher: string, backbone: string) =>
    new CodedError({
      code: 'host/backbone',
      message: `\`${launcher}\` does not support the backbone ${backbone}.`,
      hint: launcher === 'trinity' ? 'Choose `trinity`.' : 'Choose `trinity` or `verl`.',
    }),
  /** @param why it has to be set, as the beginning of a sentence */
  uneditableConfig: (key: string, why: string) =>
    new CodedError({
      code: 'host/config-not-editable',
      message: `${why} \`${key}\` must be set, but the config has no block to add it to.`,
      hint: `Write the section of \`${key}\` as an indented block, or set the key yourself.`,
    }),
  notResumable: (why: string, hint: string) =>
    new CodedError({
      code: 'host/not-resumable',
      message: `The run cannot be resumed or forked: ${why}.`,
      hint,
    }),
};
