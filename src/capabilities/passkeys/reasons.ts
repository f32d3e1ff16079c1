/**
 * Why an answer of an authenticator is refused, for the log. Clients get one message for all.
 * Sections are those of W3C Web Authentication Level 3.
 */
export type PasskeyReason =
  /** The session text is not ours, was altered, or belongs to the other ceremony. */
  | 'session text'
  /** The ceremony began more than five minutes ago. */
  | 'expired'
  /** The challenge was used before. */
  | 'challenge used'
  /** Sections 7.1 step 7 and 7.2 step 11. */
  | 'type'
  /** Sections 7.1 step 8 and 7.2 step 12. */
  | 'challenge'
  /** Sections 7.1 step 9 and 7.2 step 13. */
  | 'origin'
  /** Sections 7.1 steps 10 and 11, and 7.2 steps 14 and 15. */
  | 'cross origin'
  /** `clientDataJSON` is not JSON in UTF-8, or not an object. */
  | 'client data'
  /** Section 6.1: the structure of authenticator data. */
  | 'authenticator data'
  /** Sections 7.1 step 14 and 7.2 step 16. */
  | 'rp id'
  /** Sections 7.1 step 15 and 7.2 step 17. */
  | 'user presence'
  /** Sections 7.1 step 16 and 7.2 step 18. */
  | 'user verification'
  /** Sections 7.1 step 17 and 7.2 step 19. */
  | 'backup state'
  /** Section 7.2 step 20. */
  | 'backup eligibility'
  | 'cbor'
  /** Section 7.1 steps 13, 21 and 22. */
  | 'attestation'
  /** Sections 6.5.1 and 7.1 step 20: the public key or its algorithm. */
  | 'public key'
  /** Section 7.1 step 25. */
  | 'credential id'
  /** Section 7.1 step 26. */
  | 'credential taken'
  /** Section 7.2 step 21. */
  | 'signature'
  /** Section 7.2 step 22. */
  | 'counter'
  /** Section 7.2 step 6. */
  | 'user handle'
  /** Nobody has this credential for this RP ID. */
  | 'unknown credential'
  /** The owner is disabled or the guest. */
  | 'owner'
  /** The ceremony began for another user. */
  | 'other user'
  /** The account or the credential changed while the answer was checked. */
  | 'changed'

/** An answer that a ceremony refuses. */
export class PasskeyError extends Error {
  override readonly name = 'PasskeyError'
  readonly reason: PasskeyReason

  constructor(reason: PasskeyReason) {
    super(reason)
    this.reason = reason
  }
}
