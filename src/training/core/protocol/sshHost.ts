/** The request that a client sends over SSH to a host program on its standard input, and the answer. */
import * as z from 'zod/mini';

export const hostStart = z.object({
  /** Paths of launchers, by name. */
  launchers: z.record(z.string(), z.string()),
  gpus: z.nullable(z.int()),
  ray: z.nullable(z.string()),
  /** The path of the list of Tinker servers; absent in requests of earlier versions. */
  tinkerServers: z.optional(z.nullable(z.string())),
});
export type HostStart = z.infer<typeof hostStart>;

/** Starts a host like this if none runs. Empty settings are taken from the host that it replaces. */
export const sshRequest = z.extend(hostStart, {
  /** The name of a token to create; null if the client has one. */
  token: z.nullable(z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/))),
});
export type SshRequest = z.infer<typeof sshRequest>;

export const sshAnswer = z.union([
  z.object({
    /** The address of the host on that machine. */
    url: z.string(),
    fingerprint: z.nullable(z.string()),
    id: z.string(),
    token: z.nullable(z.string()),
  }),
  z.object({ error: z.object({ code: z.string(), message: z.string(), hint: z.optional(z.string()) }) }),
]);
export type SshAnswer = z.infer<typeof sshAnswer>;
/** The start of the answer line, to find it in other output of the shell. */
export const sshMark = 'agentjet-host ';
