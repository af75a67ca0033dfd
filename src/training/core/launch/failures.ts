import { CodedError } from '../../../base/core/errors.ts';

/** @param hint empty: nothing can be done about it but to leave the flag out */
export function refusedFlag(flag: string, launcher: string, why: string, hint: string): CodedError {
  return new CodedError({
    code: 'host/flag-refused',
    message: `A run on a host does not take \`${flag}\` of \`${launcher}\`: ${why}.`,
    hint: hint === '' ? `Leave \`${flag}\` out.` : hint,
  });
}

export function unknownFlag(flag: string, launcher: string, known: readonly string[]): CodedError {
  return new CodedError({
    code: 'host/flag-unknown',
    message: `\`${launcher}\` has no flag ${JSON.stringify(flag)}.`,
    hint: `Those that a run on a host takes: ${known.join(', ')}.`,
  });
}

export function badFlagValue(flag: string, wanted: string): CodedError {
  return new CodedError({
    code: 'host/flag-value',
    message: `\`${flag}\` wants ${wanted}.`,
    hint: `Write \`${flag} VALUE\` or \`${flag}=VALUE\`.`,
  });
}

export function badVariable(name: string, why: string): CodedError {
  return new CodedError({
    code: 'host/variable-refused',
    message: `A run cannot set the variable ${name}: ${why}.`,
    hint: 'Leave it out of the order; the owner of the host sets it where the host is started.',
  });
}

export function badConfigPath(path: string, why: string): CodedError {
  return new CodedError({
    code: 'host/config-path',
    message: `The config ${JSON.stringify(path)} cannot be started: ${why}.`,
    hint: 'Name a `.yaml` file inside the folder that is sent, by its path from there.',
  });
}

export function badJobName(key: string, value: string): CodedError {
  return new CodedError({
    code: 'host/job-name',
    message: `\`${key}\` is ${JSON.stringify(value)}, which would put the job's folder somewhere else.`,
    hint: 'Use a name without `..` and NUL that does not begin with `/`.',
  });
}

export function noLauncher(name: string, why: string): CodedError {
  return new CodedError({
    code: 'host/launcher-not-allowed',
    message: `This host does not start \`${name}\`: ${why}.`,
    hint: 'Choose another launcher, or have the owner of the host configure this one.',
  });
}

export function wrongBackbone(launcher: string, backbone: string): CodedError {
  return new CodedError({
    code: 'host/backbone',
    message: `\`${launcher}\` does not train with ${backbone}.`,
    hint: launcher === 'trinity' ? 'Choose `trinity`.' : 'Choose `trinity` or `verl`.',
  });
}

/** @param why it has to be set, as the beginning of a sentence */
export function uneditableConfig(key: string, why: string): CodedError {
  return new CodedError({
    code: 'host/config-not-editable',
    message: `${why} \`${key}\` has to be set, and there is no block in the config that it could be added to.`,
    hint: `Write the section of \`${key}\` as an indented block, or set the key yourself.`,
  });
}

export function notResumable(why: string, hint: string): CodedError {
  return new CodedError({
    code: 'host/not-resumable',
    message: `The run cannot go on from there: ${why}.`,
    hint,
  });
}
