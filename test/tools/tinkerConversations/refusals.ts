/** Sends requests that a server must refuse, at once or as their result, for record.ts. */
import process from 'node:process';

const session = { session_id: 'none' };
const model = { model_id: 'none', seq_id: 1 };
const requests = {
  retrieve_future: { request_id: 'none' },
  create_model: { ...session, model_seq_id: 0, base_model: 'tiny', lora_config: { rank: 8 } },
  create_sampling_session: { ...session, sampling_session_seq_id: 0, base_model: 'tiny' },
  forward_backward: { ...model, forward_backward_input: { data: [], loss_fn: 'ppo' } },
  optim_step: { ...model, adam_params: { learning_rate: 1 } },
  load_weights: { ...model, path: 'tinker://none/weights/none', optimizer: true },
};

async function send(path: string, body: object, key: string): Promise<Response> {
  return fetch(`${process.env['TINKER_BASE_URL']}/api/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify(body),
  });
}

for (const [path, body] of Object.entries(requests)) {
  let response = await send(path, body, 'tml-recorded');
  const { request_id: id } = (await response.clone().json()) as { request_id?: string };
  while (response.ok || response.status === 408) {
    response = await send('retrieve_future', { request_id: id }, 'tml-recorded');
  }
}
await send('retrieve_future', { request_id: 'none' }, 'tml-wrong');
