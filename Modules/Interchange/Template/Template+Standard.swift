extension Template {
  /// What is written as Markdown where a person brings no template: quotes by document.
  public static let standard: Template = {
    do { return try Template(standardText) } catch {
      preconditionFailure("the standard template: \(error)")
    }
  }()

  /// The standard template, for those who want to change it.
  static let standardText = """
    {{#documents}}
    {{^first}}

    {{/first}}
    ## {{title}}

    *{{path}}*

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
