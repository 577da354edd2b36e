package images

import (
	"regexp"
	"strings"
)

var (
	cssComment = regexp.MustCompile(`(?s)/\*.*?(\*/|$)`)
	// cssAt is an at-rule: most of them load something, and plots need none.
	cssAt = regexp.MustCompile(`(?s)@[^;{]*(;|\{[^}]*(\}|$)|$)`)
	// cssOutside matches other ways than url(…) to load or run things: functions and properties of particular browsers. A
	// backslash can hide any of it.
	cssOutside = regexp.MustCompile(`(?i)\\|image-set\s*\(|\bsrc\s*\(|expression\s*\(|-moz-binding|behavior\s*:|javascript:`)
	cssURL     = regexp.MustCompile(`(?is)url\(\s*("[^"]*"|'[^']*'|[^)]*)\s*(\)|$)`)
	// cssPart is a reference to a part of the same SVG.
	cssPart = regexp.MustCompile(`(?is)^url\(\s*["']?#([^"'()\s]+)["']?\s*\)$`)
)

// cleanCSS returns a style sheet, or the value of an attribute, without references, except to parts of the same SVG. It
// drops a text completely if more in it is suspicious.
func cleanCSS(css string) string {
	if !strings.ContainsAny(css, `(@\:/`) {
		return css
	}
	css = cssComment.ReplaceAllString(css, " ")
	css = cssAt.ReplaceAllString(css, " ")
	if cssOutside.MatchString(css) {
		return ""
	}
	css = cssURL.ReplaceAllStringFunc(css, func(u string) string {
		if cssPart.MatchString(u) {
			return u
		}
		return "none"
	})
	// Removing a part may have joined two others into something forbidden.
	if cssOutside.MatchString(css) {
		return ""
	}
	return css
}
