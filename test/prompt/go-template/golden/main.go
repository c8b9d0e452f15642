// Writes what Go's own text/template makes of the cases, and what Ollama's template package makes of
// the conversations: `go run . && npx biome check --write .` in this folder.
package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/ollama/ollama/api"
	ollama "github.com/ollama/ollama/template"
)

type result struct {
	Template string  `json:"template"`
	Output   *string `json:"output,omitempty"`
	Error    string  `json:"error,omitempty"`
}

var functions = template.FuncMap{
	"json": func(v any) string {
		text, _ := json.Marshal(v)
		return string(text)
	},
	"currentDate":   func(...string) string { return time.Now().Format("2006-01-02") },
	"yesterdayDate": func(...string) string { return time.Now().AddDate(0, 0, -1).Format("2006-01-02") },
}

func render(text string, data any) result {
	parsed, err := template.New("").Option("missingkey=zero").Funcs(functions).Parse(text)
	if err != nil {
		return result{Template: text, Error: err.Error()}
	}
	var output bytes.Buffer
	if err := parsed.Execute(&output, data); err != nil {
		return result{Template: text, Error: err.Error()}
	}
	written := strings.ToValidUTF8(output.String(), "\ufffd")
	return result{Template: text, Output: &written}
}

type conversation struct {
	Messages []api.Message `json:"messages"`
	Tools    api.Tools     `json:"tools"`
	Think    any           `json:"think"`
	Suffix   string        `json:"suffix"`
}

type conversationResult struct {
	Template     string `json:"template"`
	Conversation string `json:"conversation"`
	Prompt       string `json:"prompt"`
}

func renderConversation(text string, c conversation) string {
	parsed, err := ollama.Parse(text)
	if err != nil {
		panic(err)
	}
	// Execute joins messages in place.
	values := ollama.Values{Messages: append([]api.Message(nil), c.Messages...), Tools: c.Tools}
	if c.Suffix != "" {
		values.Prompt = c.Messages[len(c.Messages)-1].Content
		values.Suffix = c.Suffix
	}
	level, isLevel := c.Think.(string)
	values.IsThinkSet = c.Think != nil
	values.Think = isLevel || c.Think == true
	values.ThinkLevel = level
	var output bytes.Buffer
	if err := parsed.Execute(&output, values); err != nil {
		panic(err)
	}
	return output.String()
}

func readCases(file string, cases any) {
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, cases)
	}
	if err != nil {
		panic(err)
	}
}

func writeResults(file string, results any) {
	var output bytes.Buffer
	encoder := json.NewEncoder(&output)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(results); err != nil {
		panic(err)
	}
	if err := os.WriteFile(file, output.Bytes(), 0o644); err != nil {
		panic(err)
	}
}

func main() {
	var cases struct {
		Data      any      `json:"data"`
		Templates []string `json:"templates"`
	}
	readCases("language-cases.json", &cases)
	results := []result{}
	for _, text := range cases.Templates {
		results = append(results, render(text, cases.Data))
	}
	writeResults("language-results.json", results)

	var prompts struct {
		Templates     map[string]string       `json:"templates"`
		Conversations map[string]conversation `json:"conversations"`
	}
	readCases("conversation-cases.json", &prompts)
	rendered := []conversationResult{}
	for _, name := range slices.Sorted(maps.Keys(prompts.Templates)) {
		for _, about := range slices.Sorted(maps.Keys(prompts.Conversations)) {
			prompt := renderConversation(prompts.Templates[name], prompts.Conversations[about])
			rendered = append(rendered, conversationResult{name, about, prompt})
		}
	}
	writeResults("conversation-results.json", rendered)
}
