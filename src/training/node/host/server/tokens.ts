import { randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod/mini';
import { CodedError } from '../../../../base/core/errors.ts';
import { scopes, type Scope } from '../../../core/protocol/hostRpc.ts';
import { omit } from '../../../../base/core/omit.ts';
import { decodeFileSync, writeFileAtomicSync } from '../../../../base/node/atomicFile.ts';
import { tokenHash, tokenId } from '../../tokenProof.ts';
import { giveToFolderOwner, withFileLock } from '../fileLock.ts';

const storedToken = z.object({
  name: z.string(),
  /** SHA-256 of the token in hex. 256 random bits need no salt and no slow hash. */
  hash: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  scopes: z.array(z.enum(scopes)),
  createdAt: z.number(),
});
const storedTokens = z.array(storedToken);
type StoredToken = z.infer<typeof storedToken>;
/** Information about a token. The token itself is shown only once. */
export type TokenInfo = Omit<StoredToken, 'hash'>;
const names = /^[A-Za-z0-9][A-Za-z0-9._-]{0,49}$/;

/** The tokens in a data folder. Other processes may change them, so a changed file is read again. */
export class HostTokens {
  readonly #file: string;
  #stamp = '';
  #tokens: readonly StoredToken[] = [];

  constructor(dataFolder: string) {
    this.#file = path.join(dataFolder, 'tokens.json');
  }

  list(): readonly TokenInfo[] {
    return this.#read().map((token) => omit(token, 'hash'));
  }

  /** Creates a token and returns it. It cannot be shown later. Each token has the scope `view`. */
  add(name: string, allowed: readonly Scope[], now: number): string {
    if (!names.test(name)) throw tokenErrors.badName(name);
    const token = `ajh_${randomBytes(32).toString('base64url')}`;
    const hash = tokenHash(token).toString('hex');
    const all = scopes.filter((scope) => scope === 'view' || allowed.includes(scope));
    this.#change((before) => {
      if (before.some((one) => one.name === name)) throw tokenErrors.nameTaken(name);
      return [...before, { name, hash, scopes: all, createdAt: now }];
    });
    return token;
  }

  /** Undefined: there is or was a token. An owner who removed the last one wants no connections. */
  addFirst(name: string, allowed: readonly Scope[], now: number): string | undefined {
    return this.#read().length > 0 || existsSync(this.#file) ? undefined : this.add(name, allowed, now);
  }

  remove(name: string): void {
    this.#change((before) => {
      const left = before.filter((one) => one.name !== name);
      const known = before.map((one) => one.name);
      if (left.length === before.length) throw tokenErrors.unknown(name, known);
      return left;
    });
  }

  /** Returns information about a token. Takes constant time. */
  find(token: string): TokenInfo | undefined {
    const hash = tokenHash(token);
    const [found] = this.#read().filter((one) => timingSafeEqual(hash, Buffer.from(one.hash, 'hex')));
    return found && omit(found, 'hash');
  }

  hashOf(id: string): Buffer | undefined {
    return this.#read()
      .map((one) => Buffer.from(one.hash, 'hex'))
      .find((hash) => tokenId(hash) === id);
  }

  #read(): readonly StoredToken[] {
    const stats = statSync(this.#file, { bigint: true, throwIfNoEntry: false });
    const stamp = stats === undefined ? 'none' : `${stats.mtimeNs} ${stats.size} ${stats.ino}`;
    if (stamp === this.#stamp) return this.#tokens;
    this.#tokens = decodeFileSync(this.#file, storedTokens, tokenErrors.unreadable) ?? [];
    this.#stamp = stamp;
    return this.#tokens;
  }

  #change(changed: (before: readonly StoredToken[]) => readonly StoredToken[]): void {
    withFileLock(this.#file, () => {
      const tokens = changed(this.#read());
      writeFileAtomicSync(this.#file, `${JSON.stringify(tokens, undefined, 2)}\n`);
      giveToFolderOwner(this.#file);
      this.#stamp = '';
    });
  }
}

const tokenErrors = {
  badName: (name: string) =>
    new CodedError({
      code: 'host/token-name',
      message: `${JSON.stringify(name)} is not a valid name for a token.`,
      hint: 'Use up to 50 letters, digits, `.`, `_` and `-`.',
    }),
  nameTaken: (name: string) =>
    new CodedError({
      code: 'host/token-exists',
      message: `A token with the name ${name} already exists.`,
      hint: `Choose another name, or remove the existing token: \`agentjet host token remove ${name}\`.`,
    }),
  unknown: (name: string, known: readonly string[]) =>
    new CodedError({
      code: 'host/no-token',
      message: `Unknown token: ${JSON.stringify(name)}.`,
      hint: known.length === 0 ? 'The host has no tokens.' : `Known tokens: ${known.join(', ')}.`,
    }),
  unreadable: (file: string, cause: unknown) =>
    new CodedError({
      code: 'host/tokens-unreadable',
      message: 'Cannot read the tokens of this host.',
      location: { file },
      hint: 'Restore the file, or delete it and create new tokens.',
      cause,
    }),
};
