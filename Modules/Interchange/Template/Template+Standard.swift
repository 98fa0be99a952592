extension Template {
  /// The default template of Markdown exports: quotes grouped by document.
  public static let standard: Template = {
    do { return try Template(standardText) } catch {
      preconditionFailure("the standard template: \(error)")
    }
  }()

  /// The source of the default template, which users can copy and change.
  static let standardText = """
    {{#documents}}
    {{^first}}

    {{/first}}
    ## {{title}}

    *{{#author}}{{author}} · {{/author}}{{path}}*

    {{#document_note}}
    {{document_note|markdown}}

    {{/document_note}}
    {{#highlights}}
    {{^first}}

    {{/first}}
    {{quote|quote}}

    {{#note}}
    {{note|markdown}}

    {{/note}}
    {{facts|raw}}
    {{/highlights}}
    {{/documents}}

    """
}
