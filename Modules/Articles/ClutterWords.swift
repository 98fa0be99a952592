/// The words by which lines that are not part of an article are recognized, in several languages.
/// They are in lower case and, unless a comment says otherwise, without punctuation.
enum ClutterWords {
  /// Lines without information: what remains of advertisements, players and buttons.
  static let signs: Set<String> = [
    "advertisement", "advertisements", "advert", "advertising", "ad", "ads", "sponsored",
    "sponsored content", "story continues below advertisement", "article continues below",
    "article continues after advertisement", "continue reading below", "continue reading",
    "continue reading the main story", "read article", "skip advertisement", "scroll to continue",
    "promoted",
    "close", "video", "caption", "previous next", "prev next", "next prev", "subscribe", "sign up",
    "share", "share this", "share this article", "share this story", "share this post",
    "sharing is caring", "like this story share it with a friend", "show more sharing options",
    "comments", "0 comments", "no comments", "no comments yet", "leave a comment", "add a comment",
    "post a comment", "view comments", "show comments", "join the conversation", "back to top",
    "this slideshow requires javascript", "loading", "read more", "show more", "view gallery",
    "print this article", "most read",
    "anzeige", "werbung", "artikel teilen", "teilen", "kommentare", "schließen", "weiterlesen",
    "publicité", "partager", "partager cet article", "commentaires", "fermer", "lire la suite",
    "la suite après la publicité",
    "publicidad", "compartir", "comentarios", "cerrar", "sigue leyendo", "publicidade",
    "compartilhar", "partilhar", "comentários", "continua após a publicidade",
    "continua depois da publicidade", "pubblicità", "condividi", "commenti", "chiudi",
    "continua a leggere", "advertentie", "delen", "reacties", "lees verder", "annons", "dela",
    "annonse", "annonce", "mainos", "reklama", "udostępnij", "komentarze", "реклама",
    "поделиться", "комментарии", "广告", "分享", "評論", "评论", "広告", "シェアする", "광고",
  ]

  /// The headings of lists of other pages.
  static let relatedHeadings: Set<String> = [
    "related", "related articles", "related stories", "related posts", "related news",
    "related content", "related links", "related topics", "related coverage", "related reading",
    "related video", "related videos", "you may also like", "you might also like",
    "you may like", "you might like", "you may also be interested in", "dont miss", "most read",
    "most popular", "most viewed", "most shared", "most commented", "popular now", "popular posts",
    "popular stories", "trending", "trending now", "trending stories",
    "latest news", "latest stories", "latest posts", "latest articles", "editors picks",
    "editors choice", "recommended for you", "recommended stories",
    "recommended articles", "read next", "up next", "read more", "read also", "also read",
    "more", "more from", "more on this story", "more on this topic", "more on this",
    "previous article", "next article", "from our partners", "around the web", "see more",
    "verwandte artikel", "ähnliche artikel", "das könnte sie auch interessieren",
    "das könnte dich auch interessieren", "auch interessant", "mehr zum thema", "meistgelesen",
    "lesen sie auch", "lies auch", "weitere artikel", "empfohlene artikel",
    "à lire aussi", "lire aussi", "articles liés", "articles similaires", "sur le même sujet",
    "vous aimerez aussi", "les plus lus", "à lire également", "voir aussi",
    "artículos relacionados", "noticias relacionadas", "te puede interesar",
    "también te puede interesar", "lo más leído", "lee también", "más noticias",
    "artigos relacionados", "notícias relacionadas", "leia também", "leia mais", "mais lidas",
    "veja também", "articoli correlati", "leggi anche", "potrebbe interessarti",
    "potrebbe interessarti anche", "i più letti", "gerelateerde artikelen", "lees ook",
    "meest gelezen", "läs också", "läs mer", "mest läst", "relaterade artiklar", "læs også",
    "les også", "lue myös", "czytaj także", "czytaj też", "zobacz też", "zobacz także",
    "czytaj również", "читайте также", "по теме", "похожие статьи", "相关阅读", "相关文章",
    "相关新闻", "関連記事", "あわせて読みたい", "おすすめ記事", "관련기사", "관련 기사",
  ]

  /// The first words of those headings that are not headings of anything else. They are omitted even
  /// if the list below them was omitted before.
  static let clearHeadings = [
    "related articles", "related stories", "related posts", "you may also like",
    "you might also like", "verwandte artikel", "ähnliche artikel", "articles liés",
    "articles similaires", "artículos relacionados", "noticias relacionadas",
    "artigos relacionados", "articoli correlati", "gerelateerde artikelen", "関連記事", "相关文章",
  ]

  /// The first words of lines that refer to another page.
  static let relatedStarts = [
    "related", "read more", "read also", "read next", "also read", "also on", "see more",
    "see also",
    "more", "also", "watch", "dont miss", "must read", "recommended", "click here", "you may like",
    "mehr", "mehr zum thema", "lesen sie auch", "siehe auch", "lire aussi", "à lire aussi",
    "lire", "voir aussi", "lee también", "lea también", "leer más", "ver también", "leia também",
    "leia mais", "veja também", "leggi anche", "lees ook", "läs också", "läs mer", "læs også",
    "les også", "lue myös", "czytaj także", "czytaj też", "zobacz też", "читайте также",
    "смотрите также", "関連記事", "相关阅读",
  ]

  /// The first words of calls to readers. They can be followed by a word of `services`. In lower
  /// case with punctuation.
  static let calls = [
    "subscribe", "sign up", "sign-up", "get ", "join ", "follow ", "like us", "click here",
    "register", "never miss", "download ", "listen to ", "find us", "connect with", "want more",
    "receive ", "abonnieren", "abonniere", "jetzt ", "melde", "folge", "erhalten sie", "abonnez",
    "inscrivez", "recevez", "suivez", "suscr", "regístrate", "recibe", "reciba", "sigue",
    "síguenos",
    "iscriviti", "ricevi", "segui", "assine", "inscreva", "receba", "siga", "schrijf je", "meld je",
    "volg ", "ontvang", "prenumerera", "anmäl", "följ ", "подпи", "следите", "zapisz", "śledź",
  ]

  /// What calls to readers offer.
  static let services = [
    "newsletter", "inbox", "news alerts", "delivered", "mailing list", "daily email",
    "email alerts", "our app", "news app",
    "magazine", "forums", "podcast", "twitter", "facebook", "instagram", "youtube", "telegram",
    "whatsapp", "linkedin", "google news", "rss", "nieuwsbrief", "nyhetsbrev", "nyhedsbrev",
    "boletín", "infolettre", "posta elettronica", "рассылк", "вконтакте", "uutiskir",
  ]

  /// The words of counters such as `Image 1 of 8`.
  static let counters: Set<String> = [
    "image", "photo", "slide", "picture", "page", "bild", "foto", "imagen", "imagem", "immagine",
    "afbeelding", "of", "von", "de", "sur", "di", "van", "av", "af", "из",
  ]

  /// Parts of the addresses of services to which a reader can pass on a page.
  static let shareAddresses = [
    "facebook.com/sharer", "facebook.com/share.php", "facebook.com/dialog/", "twitter.com/intent/",
    "twitter.com/share", "twitter.com/home?status", "x.com/intent/", "linkedin.com/sharearticle",
    "linkedin.com/sharing/", "linkedin.com/cws/share", "pinterest.com/pin/create",
    "reddit.com/submit", "api.whatsapp.com/send", "whatsapp://send", "wa.me/?text",
    "t.me/share", "telegram.me/share", "plus.google.com/share", "tumblr.com/share",
    "tumblr.com/widgets/share", "vk.com/share", "getpocket.com/save", "getpocket.com/edit",
    "flipboard.com/bookmarklet", "share.flipboard.com", "news.ycombinator.com/submitlink",
    "digg.com/submit", "stumbleupon.com/submit", "xing.com/spi/shares", "line.me/r/msg",
    "bsky.app/intent/", "threads.net/intent/", "fb-messenger://share", "mailto:?",
  ]
}
