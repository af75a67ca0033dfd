import type { EnvTransport } from '../core/env-service/transport.ts';
import { explainTransport } from './model-tuner/modelEndpointFailures.ts';
import { post, postTarget, readWhole } from './model-tuner/modelTransport.ts';

/** Environment services over http and https. */
export const envTransport: EnvTransport = {
  post: async (url, body, cancellation) => {
    const headers = { 'content-type': 'application/json' };
    try {
      const response = await post({ target: postTarget(url, headers), body }, cancellation);
      return { status: response.statusCode ?? 0, body: await readWhole(response) };
    } catch (cause) {
      throw new Error(explainTransport(cause), { cause });
    }
  },
};
