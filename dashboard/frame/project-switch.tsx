/** Shows the project and changes to another one, on the same page. */
import type { JSX } from "react";
import { ActionIcon, Menu, Text } from "@mantine/core";
import { Link, useNavigate, useRouterState } from "@tanstack/react-router";
import type { Schemas } from "../api.gen.ts";
import { useCall } from "../api/queries.ts";
import { Icon } from "../ui/icons.tsx";
import { encodePart } from "./page-link.tsx";
import { useShownProject } from "./project.ts";
import classes from "./frame.module.css";

export function ProjectSwitch(): JSX.Element {
  const current = useShownProject();
  const projects = useCall("listProjects", {}).data ?? [];
  const navigate = useNavigate();
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const open = ({ name }: Schemas["Project"]) => void navigate({ to: buildSamePagePath(pathname, name) });
  return (
    <div className={classes["switch"]}>
      {current && (
        <Link to={`/projects/${encodePart(current.name)}`} className={classes["project"]}>
          <Text component="span" size="sm" fw={600} truncate="end" className="foreign">
            {current.name}
          </Text>
        </Link>
      )}
      <Menu position="bottom-start" width={260} shadow="md">
        <Menu.Target>
          <ActionIcon aria-label="Switch project">
            <Icon name="swap" size={14} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {[...Map.groupBy(projects, (project) => project.orgId)].map(([orgId, group]) => (
            <div key={orgId} role="presentation">
              {group.map((project) => (
                <Menu.Item
                  key={project.id}
                  onClick={() => open(project)}
                  leftSection={
                    <span className={classes["tick"]}>
                      {project.id === current?.id && <Icon name="check" size={14} />}
                    </span>
                  }
                >
                  <span className="foreign">{project.name}</span>
                </Menu.Item>
              ))}
              <Menu.Divider />
            </div>
          ))}
          {current && (
            <Menu.Item component={Link} to={`/orgs/${encodePart(current.orgId)}/projects`}>
              All projects
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}

/** Returns the same list in the other project; a thing of this project is not in the other one. */
function buildSamePagePath(pathname: string, project: string): string {
  const [, section, , page = ""] = pathname.split("/");
  return `/projects/${encodePart(project)}${section === "projects" && page ? `/${page}` : ""}`;
}
