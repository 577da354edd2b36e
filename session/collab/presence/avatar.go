package presence

import (
	"html"
	"net/url"
	"strings"

	"github.com/samber/lo"
)

// avatar returns a small picture as a data URL: initials on a colour, in a square with round corners, unlike the circles of
// people.
func avatar(initials, color string) string {
	size := lo.Ternary(len([]rune(initials)) > 2, "12", "15")
	return "data:image/svg+xml," + strings.NewReplacer("COLOR", url.PathEscape(color), "SIZE", size, "TEXT", url.PathEscape(html.EscapeString(initials))).Replace(
		"%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='9' fill='COLOR'/%3E"+
			"%3Ctext x='16' y='21' font-family='sans-serif' font-size='SIZE' text-anchor='middle' fill='%23222'%3ETEXT%3C/text%3E%3C/svg%3E")
}
