export type NamedValue = string | number | bigint | boolean | null;

/** Names of what is about a secret: where it is, what it is called, how many there are. */
const notItself = /_(?:paths?|files?|dir|home|sock|env|name|ids?|url|uri|type)$/i;
const words =
  /(?:^|_)(?:keys?|tokens?|secrets?|passwords?|passwd|pwd|passphrase|passcode|credentials?|creds?|auth|authorization|cookies?|pat|dsn|jwt|bearer|webhook(?:_ur[il])?|connection_string|conn_str)(?:_|$)/i;
/** `pass` inside of a name is a pass over data, such as `pass_rate`. */
const ends = /(?:(?:^|_)pass|^pgpassword|^sshpass)$/i;
/** Names of environment variables. In lower case they are names of data. */
const variables = /(?:^|_)(?:SESSION(?:_?ID)?|OTP|SAS|PW|ACCESS_KEY_ID)$/;
const joined = /(?:api|access|secret|private|auth)(?:key|token)/i;

/** Returns whether the value of a key or of an environment variable is probably a secret, judged by its name. */
export function isSecretName(name: string): boolean {
  const plain = snakeCase(name);
  if (plain === 'PWD' || plain === 'OLDPWD') return false;
  if (variables.test(plain) || /_webhook_ur[il]$/i.test(plain)) return true;
  return !notItself.test(plain) && (words.test(plain) || ends.test(plain) || joined.test(plain));
}

/** `apiKey`, `judge.api-key`, `API_KEY` as words between underscores. */
function snakeCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/[^A-Za-z0-9]+/g, '_');
}

/**
 * Returns true if the name of a value suggests a secret. Names with only `key` or `token` are ambiguous: a data column
 * (`prompt_key: question`), a text marker (`eos_token: </s>`) or a number of tokens. For them, the value decides.
 */
export function isSecret(name: string, value: NamedValue): boolean {
  if (value === null || typeof value === 'boolean' || value === '' || value === '???') return false;
  if (!isSecretName(name)) return false;
  const plain = snakeCase(name);
  const rest = plain.replace(/(?:^|_)(?:keys?|tokens?)(?=_|$)/gi, '');
  const text = String(value);
  if (/^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(text)) {
    if (/(?:password|passwd|passphrase|passcode)$/i.test(plain)) return true;
    const counts = /(?:^|_)(?:tokens|num|max|min)(?:_|$)/i.test(plain) && !isSecretName(rest);
    return !counts && /^\d{6,}$/.test(text);
  }
  if (isReference(text)) return false;
  const isOpen = !isSecretName(rest) && !certain.test(plain) && plain !== plain.toUpperCase();
  return !(isOpen && label.test(text));
}

const certain = /(?:api|access|secret|private|bearer|license|service|encrypt\w*|sign\w*)_|^token$/i;
/** A few words, as labels are, or a mark between brackets. */
const label = /^(?:<[^>]*>|\[[A-Z]+\]|[A-Za-z]{1,16}(?:[_. -][A-Za-z]{1,16}){0,4}\d{0,2})$/;

/** Returns whether a text only refers to a value, such as `${oc.env:NAME}`: without a default, which can be a secret. */
export function isReference(text: string): boolean {
  return /^\$\{[^,{}]*\}$/.test(text);
}
