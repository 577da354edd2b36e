package pair

import (
	"context"
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/session/collab/mentions"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/resource"
)

// URIMentions is the address of the unanswered mentions.
const URIMentions = "mentions://list"

// maxMentionText is the maximum length of a mention's text in a notification, in characters.
const maxMentionText = 1_000

// Mentions returns the resource with the unanswered mentions. A client with a channel is notified of untaken
// mentions; a notification does not take them.
func Mentions(d *deps.Deps) resource.Live {
	book := d.Manager.Mentions
	list := func(client string) []mentions.Listed { return book.List(mentions.Asks{Client: client}) }
	return resource.Live{
		URI: URIMentions, Name: "Mentions", Description: "Unanswered mentions: places in cells and chats where people called you by name.",
		Read: func(ctx context.Context) any { return mentionsFor(ctx, d, false) },
		State: func(client string) string {
			var b strings.Builder
			for _, l := range list(client) {
				fmt.Fprintf(&b, "%s %q %t %d %s %q\n", l.ID, l.Taken, l.Edited, l.More, l.Cell, l.Says)
			}
			return b.String()
		},
		Observe: book.Observe,
		News: func(client string) (news []resource.News) {
			for _, l := range list(client) {
				if l.Taken == "" {
					news = append(news, newsOf(mentionView(d, l.Mention), l.Mention))
				}
			}
			return news
		},
	}
}

// newsOf returns the notification of a mention.
func newsOf(v MentionView, m mentions.Mention) resource.News {
	text, _ := textfmt.Cut(v.Text, maxMentionText)
	n := resource.News{ID: v.ID, Meta: map[string]string{"mention": v.ID, "path": v.Path, "from": byName(v)}}
	where := "in " + v.Path
	if v.CellID != "" {
		n.Meta["cell"] = v.CellID
		where += ", cell " + textfmt.Quoted(v.CellID)
	}
	n.Text = fmt.Sprintf("%s called you %s: %s\n(%s)"+textfmt.Hint("\nwait_for_mention with timeout 0 takes it and shows more; reply with mention "+v.ID+" answers it"),
		byName(v), where, textfmt.Quoted(text), warning(m))
	return n
}
