/** A chat message of a task, as data sets hold them. */
export interface InitMessage {
  readonly role: string;
  readonly content: string;
}
