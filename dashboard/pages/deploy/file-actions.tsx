/** Opens a manifest from a file or zip, and saves the one in the editor. */
import { useState, type JSX } from "react";
import { Button, FileButton, Group, Text } from "@mantine/core";
import { saveText } from "../../ui/save-text.ts";
import { readManifestFile } from "./read-manifest-file.ts";

interface FileActionsProps {
  text: string;
  onRead: (text: string) => void;
}

export function FileActions({ text, onRead }: FileActionsProps): JSX.Element {
  const [fault, setFault] = useState("");
  const read = (file: File | null) => {
    if (!file) return;
    setFault("");
    void readManifestFile(file).then(onRead, (error: unknown) =>
      setFault(error instanceof Error ? error.message : String(error)),
    );
  };
  return (
    <Group gap="xs">
      {fault !== "" && (
        <Text role="alert" size="sm" c="red">
          {fault}
        </Text>
      )}
      <FileButton onChange={read} accept=".yaml,.yml,.json,.zip">
        {(props) => (
          <Button {...props} size="compact-sm" variant="default">
            Open a file or zip
          </Button>
        )}
      </FileButton>
      <Button
        size="compact-sm"
        variant="default"
        onClick={() => saveText("amp.yaml", "application/yaml", text)}
      >
        Download
      </Button>
    </Group>
  );
}
