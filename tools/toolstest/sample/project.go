package sample

// Shop is a project file that fills every field.
const Shop = `# The shop.
project: {name: My SaaS App, type: fullstack, path: /srv/shop}
tech: {stack: [python, duckdb], runtime: CPython 3.13, packageManager: uv}
architecture: {pattern: pipeline, description: Raw files in, one model out.}
modules:
  - name: auth
    description: Authentication and authorization
    keyFiles:
      - {path: auth/login.py, role: entry, description: Where it begins.}
      - path: auth/token.py
    patterns:
      - Use JWT tokens in httpOnly cookies
      - Implement token refresh with mutex locks
    businessRules:
      - Prices are net
    commonIssues:
      - description: Token race
        solution: a lock
        discoveredAt: 2026-01-15
        sessionId: abc12345
    dependencies: [users, mail]
  - name: über uns
`
