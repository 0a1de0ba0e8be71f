/** Who is asking. The actor's organization decides which rows exist; it comes from the login, never from the body. */
export interface Actor {
  readonly orgId: string;
  readonly userId: string;
}
