import type { Environment } from './host.ts';

/** Stands for the value of an environment variable that nobody should read over a shoulder. */
export const maskedSecret = '***';

const secretWords = new Set([
  ...['KEY', 'KEYS', 'APIKEY', 'TOKEN', 'SECRET', 'SECRETS', 'PASSWORD', 'PASSWD', 'PASSPHRASE'],
  ...['CREDENTIAL', 'CREDENTIALS'],
]);

/**
 * The same environment for what is shown (hover, effective config, `agentjet config`): of variables whose name has the
 * word KEY, TOKEN, SECRET, PASSWORD or the like in it, only that they are set. Runs get the values themselves.
 */
export function maskSecrets(environment: Environment): Environment {
  if (environment === 'blocked') return environment;
  return (name) => {
    const value = environment(name);
    return value !== undefined && value !== '' && namesSecret(name) ? maskedSecret : value;
  };
}

function namesSecret(name: string): boolean {
  return name
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .some((word) => secretWords.has(word));
}
