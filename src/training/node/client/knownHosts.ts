import { mkdirSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod/mini';
import { CodedError } from '../../../base/core/errors.ts';
import { omit } from '../../../base/core/omit.ts';
import { hostStart } from '../../core/protocol/sshHost.ts';
import { decodeFileSync, writeFileAtomicSync } from '../../../base/node/atomicFile.ts';

const knownHost = z.object({
  name: z.string(),
  /** `ws://…`, `wss://…` or `ssh:…`. */
  address: z.string(),
  /** SHA-256 of the pinned certificate, in hex. */
  fingerprint: z.optional(z.string()),
  /** The id of the host, independent of its address. */
  id: z.string(),
  start: z.optional(hostStart),
});
export type KnownHost = z.infer<typeof knownHost>;
const hostsFile = z.object({ hosts: z.array(knownHost) });
const tokensFile = z.record(z.string(), z.string());
const names = /^[A-Za-z0-9][A-Za-z0-9._-]{0,49}$/;

/** The GPU hosts that a user has added. Their tokens are in a separate file that only the user can read. */
export class KnownHosts {
  readonly #hosts: string;
  readonly #tokens: string;

  constructor(folder: string) {
    this.#hosts = path.join(folder, 'hosts.json');
    this.#tokens = path.join(folder, 'host-tokens.json');
  }

  list(): readonly KnownHost[] {
    return decodeFileSync(this.#hosts, hostsFile, hostErrors.unreadable)?.hosts ?? [];
  }

  /** Returns the host with a name, or the only host. Throws if there is none or the choice is ambiguous. */
  get(name: string | undefined): KnownHost {
    const hosts = this.list();
    const [only, ...others] = name === undefined ? hosts : hosts.filter((host) => host.name === name);
    if (only !== undefined && others.length === 0) return only;
    const known = hosts.map((host) => host.name);
    throw name === undefined ? hostErrors.whichHost(known) : hostErrors.unknown(name, known);
  }

  tokenOf(name: string): string | undefined {
    const tokens = this.#readTokens();
    return Object.hasOwn(tokens, name) ? tokens[name] : undefined;
  }

  /** Throws if the name is invalid or already used. */
  mustBeFree(name: string): void {
    if (!names.test(name)) throw hostErrors.badName(name);
    if (this.list().some((host) => host.name === name)) throw hostErrors.nameTaken(name);
  }

  add(host: KnownHost, token: string): void {
    this.mustBeFree(host.name);
    // Written first: a host without its token would be unusable.
    this.#write(this.#tokens, { ...this.#readTokens(), [host.name]: token });
    this.#write(this.#hosts, { hosts: [...this.list(), host] });
  }

  remove(name: string): void {
    const host = this.get(name);
    this.#write(this.#hosts, { hosts: this.list().filter((one) => one.name !== host.name) });
    this.#write(this.#tokens, omit(this.#readTokens(), name));
  }

  #readTokens(): z.infer<typeof tokensFile> {
    return decodeFileSync(this.#tokens, tokensFile, hostErrors.unreadable) ?? {};
  }

  #write(file: string, value: unknown): void {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeFileAtomicSync(file, `${JSON.stringify(value, undefined, 2)}\n`);
  }
}

const listed = (known: readonly string[]): string =>
  known.length === 0
    ? 'Add a host with `agentjet remote add NAME ADDRESS`.'
    : `Known hosts: ${known.join(', ')}.`;

const hostErrors = {
  badName: (name: string) =>
    new CodedError({
      code: 'remote/host-name',
      message: `${JSON.stringify(name)} is not a valid name for a host.`,
      hint: 'Use up to 50 letters, digits, `.`, `_` and `-`.',
    }),
  nameTaken: (name: string) =>
    new CodedError({
      code: 'remote/host-exists',
      message: `A host with the name ${name} already exists.`,
      hint: `Choose another name, or remove the existing host: \`agentjet remote remove ${name}\`.`,
    }),
  unknown: (name: string, known: readonly string[]) =>
    new CodedError({
      code: 'remote/no-host',
      message: `Unknown host: ${JSON.stringify(name)}.`,
      hint: listed(known),
    }),
  whichHost: (known: readonly string[]) =>
    new CodedError({
      code: 'remote/which-host',
      message: known.length === 0 ? 'There are no GPU hosts.' : 'There are several GPU hosts.',
      hint: known.length === 0 ? listed(known) : `Choose one with \`--host NAME\`. ${listed(known)}`,
    }),
  unreadable: (file: string, cause: unknown) =>
    new CodedError({
      code: 'remote/hosts-unreadable',
      message: 'Cannot read the list of GPU hosts.',
      location: { file },
      hint: 'Restore the file, or delete it and add the hosts again.',
      cause,
    }),
};
