/**
 * The authenticated caller. The organization decides which rows are visible; it comes from the login, never from the
 * body.
 */
export interface Actor {
  readonly orgId: string;
  readonly userId: string;
}
