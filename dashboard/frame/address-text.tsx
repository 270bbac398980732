/** A text field whose value is also in the address; what is typed stays, because addresses change a little later. */
import { useState, type JSX } from "react";
import { TextInput, type TextInputProps } from "@mantine/core";

interface AddressTextProps extends Omit<TextInputProps, "value" | "onChange"> {
  /** Value in the page's address when the field is first drawn. */
  first: string;
  onText: (text: string) => void;
}

export function AddressText({ first, onText, ...props }: AddressTextProps): JSX.Element {
  const [typed, setTyped] = useState(first);
  return (
    <TextInput
      {...props}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onText(currentTarget.value);
      }}
    />
  );
}
