import "@busbar/react/styles.css";

export const metadata = { title: "People" };

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body style={{ fontFamily: "system-ui", maxWidth: "50rem", margin: "2rem auto" }}>{children}</body>
    </html>
  );
}
