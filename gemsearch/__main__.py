from gemsearch.cli import main

main()
