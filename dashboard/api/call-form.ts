/** The fields of a form that is sent by one call. */
import { useEffect } from "react";
import { useForm, type UseFormReturnType } from "@mantine/form";
import { ApiProblem } from "./call.ts";

/**
 * Holds the values of a form's fields. A refusal of the call stands under the field that it names, until that field is changed.
 * `prefix` is where the call's body has the values, as `providerApp.`.
 */
export function useCallForm<Values extends Record<string, unknown>>(
  initialValues: Values,
  error: unknown,
  prefix = "",
): UseFormReturnType<Values> {
  const form = useForm<Values>({ mode: "controlled", initialValues });
  const { setErrors } = form;
  useEffect(() => {
    const issues = error instanceof ApiProblem ? (error.problem.issues ?? []) : [];
    setErrors(
      Object.fromEntries(
        issues
          .filter(({ name }) => name.startsWith(prefix))
          // Of several about one field, the first is shown.
          .toReversed()
          .map(({ name, detail }) => [name.slice(prefix.length), detail]),
      ),
    );
  }, [error, prefix, setErrors]);
  return form;
}
