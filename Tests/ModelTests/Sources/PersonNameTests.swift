import Model
import Testing

@Suite struct PersonNameTests {
  @Test(arguments: [
    ("Woolf, Virginia", PersonName(family: "Woolf", given: "Virginia")),
    ("Virginia  Woolf", PersonName(family: "Woolf", given: "Virginia")),
    ("Ludwig van Beethoven", PersonName(family: "Beethoven", given: "Ludwig", particle: "van")),
    ("van Beethoven, Ludwig", PersonName(family: "Beethoven", given: "Ludwig", particle: "van")),
    ("Simone de Beauvoir", PersonName(family: "Beauvoir", given: "Simone", particle: "de")),
    ("de la Cruz, Juana Inés", PersonName(family: "Cruz", given: "Juana Inés", particle: "de la")),
    ("King, Jr., Martin Luther", PersonName(family: "King", given: "Martin Luther", suffix: "Jr.")),
    ("von Neumann", PersonName(family: "Neumann", particle: "von")),
    ("Plato", PersonName(literal: "Plato")), ("毛 泽东", PersonName(literal: "毛 泽东")),
    ("{World Health Organization}", PersonName(literal: "World Health Organization")),
    ("bell hooks", PersonName(family: "hooks", particle: "bell")),
  ])
  func `a name is parsed`(text: String, expected: PersonName) {
    #expect(PersonName(typed: text) == expected)
  }

  @Test(arguments: [
    "Woolf, Virginia", "van Beethoven, Ludwig", "King, Jr., Martin Luther", "Plato",
    "{World Health Organization}", "毛 泽东", "{de Gruyter, Inc.}",
  ])
  func `the inverted form is parsed to the same name`(text: String) {
    let name = PersonName(typed: text)
    #expect(name.inverted == text)
    #expect(PersonName(typed: name.inverted) == name)
  }

  @Test(arguments: [
    ("Ann Lee and Bo Ek", ["Ann Lee", "Bo Ek"]), ("Lee, Ann; Ek, Bo", ["Ann Lee", "Bo Ek"]),
    ("{Barnes and Noble} and Ann Lee", ["Barnes and Noble", "Ann Lee"]), ("", []),
    (" ; and ; ", []),
    ("Andy Anderson", ["Andy Anderson"]), ("Ann Lee, Bo Reid", ["Ann Lee", "Bo Reid"]),
    ("Ann Lee, Bo Reid, Cy van Moss", ["Ann Lee", "Bo Reid", "Cy van Moss"]),
    ("Martin Luther King, Jr.", ["Martin Luther King, Jr."]),
    ("van Beethoven, Ludwig Maria", ["Ludwig Maria van Beethoven"]),
    ("Márquez, Gabriel García", ["Gabriel García Márquez"]),
  ])
  func `a list of names is parsed`(text: String, expected: [String]) {
    #expect(PersonName.list(text).map(\.direct) == expected)
  }
}
