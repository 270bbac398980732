/** What the parts of the form of a configuration share. */
import type { Content } from "./config-content.ts";

export interface FormPart {
  content: Content;
  onContent: (content: Content) => void;
  /** Returns the refusal about a place, such as `read.objects.contacts.schedule`. */
  issueAt: (place: string) => string | undefined;
}
