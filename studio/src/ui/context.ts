//! The session, handed down the page.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Session } from "../core/types.ts";

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("a part of the page stands outside the session");
  return session;
}
